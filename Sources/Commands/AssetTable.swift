// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Library
internal import LinuxIO

struct AssetTable {
    // The initial widths fit most cameras. A shortened time still shows the seconds.
    private var table = TextTable([
        TextTable.Column(heading: "number", alignsRight: true, weight: 6),
        TextTable.Column(heading: "taken", width: 29, shortest: 20, weight: 4),
        TextTable.Column(heading: "pixels", alignsRight: true, width: 9, weight: 2),
        TextTable.Column(heading: "size", alignsRight: true, width: 8, weight: 3),
        TextTable.Column(heading: "id", width: 8, weight: 5),
        TextTable.Column(heading: "file", shortest: 8, weight: 1),
    ])

    mutating func print(_ assets: [Asset]) {
        let isTerminal = table.isTerminal
        table.print(
            assets.map { asset in
                var fields = Self.fields(asset)
                // The note is for a person; programs have `purgesAt`.
                if isTerminal, let left = Self.daysLeft(asset) { fields[5] += "  \(left)" }
                return fields
            })
    }

    /// Returns how long a deleted asset can be restored; `nil` for other assets.
    private static func daysLeft(_ asset: Asset) -> String? {
        guard let end = asset.purgesAt else { return asset.deletedAt == nil ? nil : "deleted" }
        let days = max(0, end.nanoseconds - Clock.wall) / 86_400_000_000_000
        return "deleted, \(days) days left"
    }

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
