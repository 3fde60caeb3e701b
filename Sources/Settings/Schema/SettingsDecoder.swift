// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads a document according to the schema and collects every problem. A key that is absent or
/// wrong gets its default.
struct SettingsDecoder {
    let document: TOMLDocument
    let file: String
    private(set) var problems: [SettingsProblem] = []
    /// Nodes whose own value was refused; later checks skip them, to report each mistake once.
    private var refused: Set<Int> = []

    init(_ document: TOMLDocument, file: String) {
        self.document = document
        self.file = file
    }

    // MARK: Tables

    /// Returns the top-level `[table]`, or nil if it is absent or not a table.
    mutating func table(_ table: SettingsTable) -> Int? {
        guard let node = document.child(table.name, of: 0) else { return nil }
        return self.table(at: node, table)
    }

    /// Returns `node` if it is a table; otherwise adds a problem that shows `table`'s header.
    mutating func table(at node: Int, _ table: SettingsTable) -> Int? {
        switch document.nodes[node].value {
        case .table:
            return node
        case .array:
            refuse(.wrongType, at: node, "is a list, allowed: one table, \(table.header)")
        case let other:
            refuse(
                .wrongType, at: node, "\(Self.described(other)), allowed: a table, \(table.header)")
        }
        return nil
    }

    /// Returns all `[[table]]`s, or nil if the document has none.
    mutating func tables(_ table: SettingsTable) -> [Int]? {
        guard let list = document.child(table.name, of: 0) else { return nil }
        guard document.nodes[list].value == .array else {
            let value = document.nodes[list].value
            let what = value == .table ? "is a single table" : Self.described(value)
            refuse(.wrongType, at: list, "\(what), allowed: a list of tables, \(table.header)")
            return []
        }
        for node in document.nodes[list].children where document.nodes[node].value != .table {
            let what = Self.described(document.nodes[node].value)
            refuse(.wrongType, at: node, "\(what), allowed: a table, \(table.header)")
        }
        return tableNodes(table)
    }

    /// Returns the nodes of all `[[table]]`s; empty if the document has none.
    func tableNodes(_ table: SettingsTable) -> [Int] {
        guard let list = document.child(table.name, of: 0), document.nodes[list].value == .array
        else { return [] }
        return document.nodes[list].children.filter { document.nodes[$0].value == .table }
    }

    // MARK: Values

    /// Returns the values of the table `node`, with the defaults for absent and wrong keys.
    mutating func values<Table: TableSettings>(at node: Int) -> Table {
        var values = Table()
        refuseUnknownKeys(in: node, Table.table)
        for field in Table.fields {
            guard let child = document.child(field.key.name, of: node) else { continue }
            field.decode(child, &self, &values)
        }
        values.decodeRest(node, &self)
        return values
    }

    /// Returns the value of `key` at `node`; nil if it is wrong, which is a problem.
    mutating func value<Value>(
        _ form: ValueForm<Value>, of key: SettingsKey, at node: Int
    ) -> Value? {
        let value = document.nodes[node].value
        switch form.decode(value) {
        case .value(let decoded):
            return decoded
        case _ where SecretName.isIn(path(of: node)):
            refuse(.notAllowed, at: node, "is not allowed, allowed: \(key.allowedText)")
        case .wrongType:
            let what = Self.described(value)
            refuse(.wrongType, at: node, "\(what), allowed: \(key.wantedText)")
        case .outOfRange:
            let shown = TOMLText.shown(value) ?? ""
            refuse(
                .notAllowed, at: node, "\(shown) is out of range, allowed: \(key.allowedText)")
        case .notAllowed:
            let shown = TOMLText.shown(value) ?? ""
            var message = "\(shown) is not allowed, allowed: \(key.allowedText)"
            if case .choices(let words) = key.allowed, case .string(let text) = value,
                let near = Suggestion.nearest(to: text, among: words)
            {
                message += "; did you mean \(TOMLText.quoted(near))?"
            }
            refuse(.notAllowed, at: node, message)
        }
        return nil
    }

    /// Returns the node of a property's key in the table `node`; nil if it is absent.
    func child<Table: TableSettings>(_ property: PartialKeyPath<Table>, of node: Int?) -> Int? {
        node.flatMap { document.child(Table.name(of: property), of: $0) }
    }

    func isRefused<Table: TableSettings>(
        _ property: PartialKeyPath<Table>, in node: Int?
    ) -> Bool {
        child(property, of: node).map(refused.contains) ?? false
    }

    // MARK: Problems

    /// Adds a problem of the value at `node`.
    mutating func refuse(_ code: SettingsProblem.Code, at node: Int, _ message: String) {
        refused.insert(node)
        problems.append(
            SettingsProblem(
                code, file: file, line: document.nodes[node].line,
                column: document.nodes[node].column, key: path(of: node), message: message))
    }

    /// Adds a problem at a property's key in the table `node`, or at the table if it is absent.
    mutating func refuse<Table: TableSettings>(
        _ code: SettingsProblem.Code, _ property: PartialKeyPath<Table>, in node: Int,
        _ message: String
    ) {
        if let child = child(property, of: node) {
            refuse(code, at: child, message)
        } else {
            problems.append(
                SettingsProblem(
                    code, file: file, line: document.nodes[node].line,
                    column: document.nodes[node].column,
                    key: "\(path(of: node)).\(Table.name(of: property))", message: message))
        }
    }

    /// Returns the line of a property's key in the table `node`; the table's if the key is absent.
    func line<Table: TableSettings>(of property: PartialKeyPath<Table>, in node: Int) -> Int {
        document.nodes[child(property, of: node) ?? node].line
    }

    /// Returns a node's full name: `camera[1].match.serial`.
    func path(of node: Int) -> String {
        var names: [String] = []
        var node = node
        while node != 0 {
            switch document.nodes[node].name {
            case .root: break
            case .index(let index): names.append("[\(index)]")
            case .key(let key):
                let text = TOMLText.shownKey(key)
                names.append(document.nodes[node].parent == 0 ? text : ".\(text)")
            }
            node = document.nodes[node].parent
        }
        return names.reversed().joined()
    }

    /// Returns the value and its type: `"3" is a string`.
    static func described(_ value: TOMLValue) -> String {
        let shown = TOMLText.shown(value).map { "\($0) " } ?? ""
        return "\(shown)is \(value.typeName)"
    }
}

extension SettingsKey {
    /// The type and values that a message suggests instead of a value of the wrong type.
    fileprivate var wantedText: String {
        switch type {
        case .text: allowedText
        case .integer: "an integer, \(allowedText)"
        case .number: "a number, \(allowedText)"
        case .boolean, .choice: allowedText
        }
    }
}
