// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Library

/// Assets for a person at a terminal.
struct AssetTable {
    func print(_ assets: [Asset]) {
        for asset in assets {
            Swift.print(
                "\(asset.sequence)\t\(asset.createdAt)\t\(asset.width)x\(asset.height)\t"
                    + "\(asset.bytes / 1000) kB\t\(asset.id.text.prefix(8))\t\(asset.fileName)")
        }
    }

    /// One line for each key of an object.
    func printDetails(_ json: String) throws {
        let fields = try JSONDecoder().decode([String: JSONValue].self, from: Data(json.utf8))
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            Swift.print("\(name): \(try value.stringValue ?? jsonLine(value))")
        }
    }
}
