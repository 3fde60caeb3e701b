// SPDX-License-Identifier: GPL-3.0-or-later

/// A change that a person or program can make to a stored asset.
public enum AssetChange: Hashable, Sendable {
    case setFavorite(Bool)
    /// Hides or shows the asset. If it represented a burst, the oldest visible photo takes over.
    case setHidden(Bool)
    /// Up to 10,000 characters; `nil` or white space alone removes the caption.
    case setCaption(String?)
    /// `nil` removes the location.
    case setLocation(AssetLocation?)
    /// Adds keywords of 1 to 100 characters, none of them a line break or other control character.
    /// An existing keyword, in upper or lower case, keeps its spelling.
    case addKeywords([String])
    /// Removes keywords; ignores those that the asset does not have.
    case removeKeywords([String])
    /// Sets the adjustment of a photo; `nil` shows the original again.
    case setAdjustment(AssetAdjustment?)
    /// Makes the asset represent its burst. Throws if it is in no burst, hidden or deleted.
    case representBurst
    /// Moves the asset to "recently deleted"; one that is already there keeps its date. If it
    /// represented a burst, the oldest photo left takes over, preferably one that is visible.
    case delete
    /// Moves it back from "recently deleted". It represents its burst if no visible photo does.
    case restore
    /// Removes the asset's files and row permanently. Throws unless it is in "recently deleted".
    case purge
    /// Like ``purge``. The remote deletes its copies at the next sync, whatever its policy says.
    case purgeEverywhere
}

extension AssetChange: Codable {
    private enum CodingKeys: String, CodingKey {
        case favorite, hidden, caption, location, addKeywords, removeKeywords, adjustment
    }

    private static let words: [(String, AssetChange)] = [
        ("delete", .delete), ("restore", .restore), ("purge", .purge),
        ("purgeEverywhere", .purgeEverywhere), ("representBurst", .representBurst),
    ]

    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            guard let found = Self.words.first(where: { $0.0 == word }) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath, debugDescription: "\(word): not a change"))
            }
            self = found.1
            return
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard values.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "not one change of an asset"))
        }
        if let isFavorite = try values.decodeIfPresent(Bool.self, forKey: .favorite) {
            self = .setFavorite(isFavorite)
        } else if let isHidden = try values.decodeIfPresent(Bool.self, forKey: .hidden) {
            self = .setHidden(isHidden)
        } else if values.contains(.caption) {
            self = .setCaption(try values.decode(String?.self, forKey: .caption))
        } else if values.contains(.location) {
            self = .setLocation(try values.decode(AssetLocation?.self, forKey: .location))
        } else if values.contains(.adjustment) {
            self = .setAdjustment(
                try values.decode(AssetAdjustment?.self, forKey: .adjustment))
        } else if let keywords = try values.decodeIfPresent([String].self, forKey: .addKeywords) {
            self = .addKeywords(keywords)
        } else {
            self = .removeKeywords(try values.decode([String].self, forKey: .removeKeywords))
        }
    }

    /// Writes `"delete"`, `"restore"`, `"purge"`, `"purgeEverywhere"`, `"representBurst"`, or an
    /// object with one key: `favorite`, `hidden`, `caption`, `location`, `addKeywords`,
    /// `removeKeywords`, `adjustment`.
    public func encode(to encoder: any Encoder) throws {
        if let word = Self.words.first(where: { $0.1 == self })?.0 {
            var container = encoder.singleValueContainer()
            return try container.encode(word)
        }
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .setFavorite(let isFavorite): try values.encode(isFavorite, forKey: .favorite)
        case .setHidden(let isHidden): try values.encode(isHidden, forKey: .hidden)
        case .setCaption(let caption): try values.encode(caption, forKey: .caption)
        case .setLocation(let location): try values.encode(location, forKey: .location)
        case .addKeywords(let keywords): try values.encode(keywords, forKey: .addKeywords)
        case .removeKeywords(let keywords): try values.encode(keywords, forKey: .removeKeywords)
        case .setAdjustment(let adjustment): try values.encode(adjustment, forKey: .adjustment)
        case .delete, .restore, .purge, .purgeEverywhere, .representBurst: break
        }
    }
}
