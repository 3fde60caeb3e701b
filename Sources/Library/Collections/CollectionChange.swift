// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// A change that a person or program can make to an album or folder.
public enum CollectionChange: Hashable, Sendable {
    /// Sets the title: 1 to 200 characters on one line, without control characters.
    case rename(String)
    /// Moves it into a folder (`nil` for the top), to an index there (`nil` for the end).
    case move(into: AssetCollection.Identifier?, at: Int?)
    /// Deletes the album, never its assets. A folder must be empty or deleted with its content.
    case delete(recursively: Bool)
    /// Inserts assets into an album, in this order, at an index or at the end. Those already in the
    /// album stay where they are.
    case addAssets([UUID], at: Int?)
    /// Removes assets from an album; ignores those that are not in it.
    case removeAssets([UUID])
    /// Moves assets of an album next to each other, in this order, to an index among all others.
    case moveAssets([UUID], to: Int)
}

extension CollectionChange: Codable {
    private enum CodingKeys: String, CodingKey {
        case rename, move, delete, addAssets, removeAssets, moveAssets
    }
    private enum DetailKeys: String, CodingKey { case into, at, to, recursively, assets }

    /// Reads what ``encode(to:)`` writes; throws for anything else, and for more than one change.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard values.allKeys.count == 1, let key = values.allKeys.first else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "not one change of a collection"))
        }
        if key == .rename {
            self = .rename(try values.decode(String.self, forKey: key))
            return
        }
        let details = try values.nestedContainer(keyedBy: DetailKeys.self, forKey: key)
        func assets() throws -> [UUID] { try details.decode([UUID].self, forKey: .assets) }
        switch key {
        case .move:
            self = .move(
                into: try details.decodeIfPresent(AssetCollection.Identifier.self, forKey: .into),
                at: try details.decodeIfPresent(Int.self, forKey: .at))
        case .delete:
            self = .delete(
                recursively: try details.decodeIfPresent(Bool.self, forKey: .recursively) ?? false)
        case .addAssets:
            self = .addAssets(
                try assets(), at: try details.decodeIfPresent(Int.self, forKey: .at))
        case .removeAssets: self = .removeAssets(try assets())
        default: self = .moveAssets(try assets(), to: try details.decode(Int.self, forKey: .to))
        }
    }

    /// Writes `{"rename": TITLE}`, or an object under one key: `move` (`into`, `at`), `delete`
    /// (`recursively`), `addAssets` (`assets`, `at`), `removeAssets` (`assets`), `moveAssets`
    /// (`assets`, `to`).
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .rename(let title): try values.encode(title, forKey: .rename)
        case .move(let folder, let place):
            var details = values.nestedContainer(keyedBy: DetailKeys.self, forKey: .move)
            try details.encodeIfPresent(folder, forKey: .into)
            try details.encodeIfPresent(place, forKey: .at)
        case .delete(let recursively):
            var details = values.nestedContainer(keyedBy: DetailKeys.self, forKey: .delete)
            try details.encode(recursively, forKey: .recursively)
        case .addAssets(let assets, let place):
            var details = values.nestedContainer(keyedBy: DetailKeys.self, forKey: .addAssets)
            try details.encode(assets, forKey: .assets)
            try details.encodeIfPresent(place, forKey: .at)
        case .removeAssets(let assets):
            var details = values.nestedContainer(keyedBy: DetailKeys.self, forKey: .removeAssets)
            try details.encode(assets, forKey: .assets)
        case .moveAssets(let assets, let place):
            var details = values.nestedContainer(keyedBy: DetailKeys.self, forKey: .moveAssets)
            try details.encode(assets, forKey: .assets)
            try details.encode(place, forKey: .to)
        }
    }
}
