// SPDX-License-Identifier: GPL-3.0-or-later
internal import CTOML

/// A parsed TOML text as a flat list of values, parents before children. The list is not recursive,
/// so deep nesting cannot exhaust the stack.
struct TOMLDocument: Sendable {
    /// The name of a value inside its parent.
    enum Name: Sendable, Equatable {
        case root
        case key(String)
        case index(Int)
    }

    struct Node: Sendable {
        let parent: Int
        let name: Name
        let value: TOMLValue
        /// The position of the key, or of the value if it has no key; from 1.
        let line: Int
        let column: Int
        /// The indexes of the values inside, in the order of the file.
        var children: [Int] = []
    }

    private(set) var nodes: [Node]

    static let empty = TOMLDocument()

    private init() {
        nodes = [Node(parent: 0, name: .root, value: .table, line: 1, column: 1)]
    }

    /// Parses `bytes`. Throws the first problem that makes them invalid TOML.
    init(parsing bytes: [UInt8]) throws(TOMLSyntaxError) {
        try TOMLGuard.check(bytes)
        // Unsafe: the parser borrows the bytes only during the call, and strings are copied before
        // the document is freed.
        let document = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                unsafe ctoml_parse(characters.baseAddress, characters.count)
            }
        }
        defer { unsafe ctoml_free(document) }

        var line: UInt32 = 0
        var column: UInt32 = 0
        if let message = unsafe ctoml_error(document, &line, &column) {
            throw TOMLSyntaxError(
                code: .syntax, line: Int(line), column: Int(column),
                message: Self.message(
                    unsafe String(cString: message), of: Self.line(Int(line), of: bytes)))
        }

        nodes = []
        for index in 0..<(unsafe ctoml_node_count(document)) {
            nodes.append(unsafe Self.node(ctoml_node_at(document, index), isRoot: index == 0))
        }
        for index in nodes.indices.dropFirst() {
            nodes[nodes[index].parent].children.append(index)
        }
        for index in nodes.indices where nodes[index].value == .table {
            // toml++ sorts tables by key; this restores the order of the file.
            nodes[index].children = nodes[index].children.sorted { first, second in
                (nodes[first].line, nodes[first].column)
                    < (nodes[second].line, nodes[second].column)
            }
        }
    }

    func child(_ key: String, of node: Int) -> Int? {
        nodes[node].children.first { nodes[$0].name == .key(key) }
    }

    private static func node(_ node: ctoml_node, isRoot: Bool) -> Node {
        let value: TOMLValue =
            switch unsafe node.type {
            case CTOML_TABLE: .table
            case CTOML_ARRAY: .array
            case CTOML_STRING: .string(unsafe text(node.string, node.string_length))
            case CTOML_INTEGER: .integer(unsafe node.integer)
            case CTOML_FLOAT: .float(unsafe node.number)
            case CTOML_BOOLEAN: .boolean(unsafe node.boolean)
            default: .dateOrTime
            }
        let name: Name =
            if isRoot {
                .root
            } else if let key = unsafe node.key {
                .key(unsafe text(key, node.key_length))
            } else {
                .index(Int(unsafe node.index))
            }
        return Node(
            parent: unsafe node.parent, name: name, value: value, line: Int(unsafe node.line),
            column: Int(unsafe node.column))
    }

    private static func line(_ number: Int, of bytes: [UInt8]) -> String {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.indices.contains(number - 1)
            ? String(decoding: lines[number - 1], as: UTF8.self) : ""
    }

    /// Returns toml++'s message on one line. Such a message may quote part of the line, so a line
    /// that may hold a secret gets a fixed message.
    private static func message(_ text: String, of line: String) -> String {
        if SecretName.isIn(line) { return "not TOML" }
        let prefix = "Error while parsing "
        let reason = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        return "not TOML: \(TOMLText.onOneLine(reason)); next: write text in quotes, as in "
            + "name = \"shutter\""
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
        let buffer = unsafe UnsafeRawBufferPointer(start: start, count: length)
        return unsafe String(decoding: buffer, as: UTF8.self)
    }
}

/// A TOML value. The document holds the contents of tables and arrays.
enum TOMLValue: Sendable, Equatable {
    case table
    case array
    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    case dateOrTime

    /// The name of the type for a message, with its article.
    var typeName: String {
        switch self {
        case .table: "a table"
        case .array: "a list"
        case .string: "a string"
        case .integer: "an integer"
        case .float: "a number with a fraction"
        case .boolean: "a boolean"
        case .dateOrTime: "a date or time"
        }
    }
}

/// The first problem that makes a text invalid TOML.
struct TOMLSyntaxError: Error, Equatable {
    let code: SettingsProblem.Code
    let line: Int
    let column: Int
    let message: String
}
