// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
internal import Library

/// Assets for a person: in columns under a heading on a terminal, with tabs between the fields where
/// something else reads.
struct AssetTable {
    private static let heading = ["number", "taken", "pixels", "size", "id", "file"]
    private static let alignsRight = [true, false, true, true, false, false]

    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var hasHeading = false
    /// Grow with what is printed; wide enough at first for what most cameras give.
    private var widths = [6, 29, 9, 8, 8, 0]

    mutating func print(_ assets: [Asset]) {
        let rows = assets.map(Self.fields)
        guard isTerminal else {
            for row in rows { Swift.print(row.joined(separator: "\t")) }
            return
        }
        for row in rows {
            for (column, text) in row.enumerated() {
                widths[column] = max(widths[column], text.count)
            }
        }
        if !hasHeading && !rows.isEmpty { Swift.print(line(Self.heading)) }
        hasHeading = true
        for row in rows { Swift.print(line(row)) }
    }

    /// One line for each key of an object.
    func printDetails(_ json: String) throws {
        let fields = try JSONDecoder().decode([String: JSONValue].self, from: Data(json.utf8))
        let width = isTerminal ? fields.keys.map(\.count).max() ?? 0 : 0
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

    private func line(_ fields: [String]) -> String {
        var line = ""
        for (column, text) in fields.enumerated() {
            let gap = spaces(widths[column] - text.count)
            if column > 0 { line += "  " }
            line += Self.alignsRight[column] ? gap + text : text + gap
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
