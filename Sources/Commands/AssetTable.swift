// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Library

/// Assets for a person.
struct AssetTable {
    private var table = TextTable(
        heading: ["number", "taken", "pixels", "size", "id", "file"],
        alignsRight: [true, false, true, true, false, false],
        // Wide enough for what most cameras give.
        widths: [6, 29, 9, 8, 8, 0])

    mutating func print(_ assets: [Asset]) { table.print(assets.map(Self.fields)) }

    /// One line for each key of an object.
    func printDetails(_ json: String) throws {
        let fields = try JSONDecoder().decode([String: JSONValue].self, from: Data(json.utf8))
        let width = table.isTerminal ? fields.keys.map(\.count).max() ?? 0 : 0
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let text = try value.stringValue ?? jsonLine(value)
            Swift.print("\(name): \(spaces(width - name.count))\(text)")
        }
    }

    private static func fields(_ asset: Asset) -> [String] {
        [
            "\(asset.sequence)", "\(asset.createdAt)", "\(asset.width)x\(asset.height)",
            "\(asset.bytes / 1000) kB", String(asset.id.text.prefix(8)), asset.fileName,
        ]
    }
}
