// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol

/// Assets for a person at a terminal.
struct AssetTable {
    private struct Row: Decodable {
        var id: String
        var sequence: Int64
        var createdAt: String
        var width: Int
        var height: Int
        var bytes: Int64
        var fileName: String
    }

    func print(_ assets: [JSONValue]) throws {
        for asset in assets {
            let row: Row = try asset.decode()
            Swift.print(
                "\(row.sequence)\t\(row.createdAt)\t\(row.width)x\(row.height)\t"
                    + "\(row.bytes / 1000) kB\t\(row.id.prefix(8))\t\(row.fileName)")
        }
    }

    func printDetails(_ asset: JSONValue) {
        guard case .object(let fields) = asset else { return }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let text = (try? jsonLine(value)) ?? ""
            let isQuoted = text.count >= 2 && text.hasPrefix("\"")
            Swift.print("\(name): \(isQuoted ? String(text.dropFirst().dropLast()) : text)")
        }
    }
}
