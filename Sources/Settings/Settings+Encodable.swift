// SPDX-License-Identifier: GPL-3.0-or-later

extension Settings: Encodable {
    /// Encodes every key in the structure of the file; tables become objects.
    public func encode(to encoder: any Encoder) throws {
        let document = try TOMLDocument(parsing: Array(toml().utf8))
        try EncodedNode(document: document, index: 0).encode(to: encoder)
    }
}

private struct EncodedNode: Encodable {
    let document: TOMLDocument
    let index: Int

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private func child(_ index: Int) -> EncodedNode {
        EncodedNode(document: document, index: index)
    }

    func encode(to encoder: any Encoder) throws {
        let node = document.nodes[index]
        switch node.value {
        case .table:
            var table = encoder.container(keyedBy: Key.self)
            for index in node.children {
                guard case .key(let name) = document.nodes[index].name else { continue }
                try table.encode(child(index), forKey: Key(stringValue: name))
            }
        case .array:
            var list = encoder.unkeyedContainer()
            for index in node.children { try list.encode(child(index)) }
        case .string(let text): try text.encode(to: encoder)
        case .integer(let number): try number.encode(to: encoder)
        case .float(let number): try number.encode(to: encoder)
        case .boolean(let isTrue): try isTrue.encode(to: encoder)
        // No key of the schema holds a date or time.
        case .dateOrTime: try String?.none.encode(to: encoder)
        }
    }
}
