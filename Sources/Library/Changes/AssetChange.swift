// SPDX-License-Identifier: GPL-3.0-or-later

/// What a person or program may change of an asset that is stored.
public enum AssetChange: Hashable, Sendable {
    case setFavorite(Bool)
    /// A burst that it stood for is stood for by its oldest photo that is not hidden, if there is one.
    case setHidden(Bool)
    /// Up to 10,000 characters; `nil` or nothing but white space takes the caption away.
    case setCaption(String?)
    /// `nil` takes the location away.
    case setLocation(AssetLocation?)
    /// Each of 1 to 100 characters without line breaks or other control characters. One that is there already, in upper or lower
    /// case, stays as it is written.
    case addKeywords([String])
    /// Those that are not there are no error.
    case removeKeywords([String])
    /// Of photos; `nil` shows the original again.
    case setAdjustment(AssetAdjustment?)
    /// It stands for its burst from now on. Throws for what is in no burst, hidden or deleted.
    case representBurst
    /// Moves it to "recently deleted"; what is there already keeps its date. A burst that it stood for is stood for by
    /// its oldest photo that is left.
    case delete
    /// Takes it back from "recently deleted". It stands for its burst again only where nothing else does.
    case restore
    /// Removes original and row for good; only of what is in "recently deleted".
    case purge
}

extension AssetChange: Codable {
    private enum CodingKeys: String, CodingKey {
        case favorite, hidden, caption, location, addKeywords, removeKeywords, adjustment
    }

    private static let words: [(String, AssetChange)] = [
        ("delete", .delete), ("restore", .restore), ("purge", .purge),
        ("representBurst", .representBurst),
    ]

    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            guard let found = Self.words.first(where: { $0.0 == word }) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath, debugDescription: "\(word) is no change"))
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

    /// `"delete"`, `"restore"`, `"purge"`, `"representBurst"`, or an object with one of the keys `favorite`, `hidden`,
    /// `caption`, `location`, `addKeywords`, `removeKeywords`, `adjustment`.
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
        case .delete, .restore, .purge, .representBurst: break
        }
    }
}
