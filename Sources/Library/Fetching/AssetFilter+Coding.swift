// SPDX-License-Identifier: GPL-3.0-or-later

extension AssetFilter: Codable {
    private enum CodingKeys: String, CodingKey {
        case key, `is`, value, isIn = "in", keyword, text, subtypes, all, any, not
    }

    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let isComparison = Set(values.allKeys).isSubset(of: [.key, .is, .value, .isIn])
        guard values.allKeys.count == 1 || isComparison,
            !(values.contains(.is) && values.contains(.isIn))
        else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "not one filter"))
        }
        if let key = try values.decodeIfPresent(AssetKey.self, forKey: .key) {
            if let wanted = try values.decodeIfPresent([AssetValue].self, forKey: .isIn) {
                self = .membership(key, wanted)
            } else {
                self = .comparison(
                    key, try values.decode(Comparison.self, forKey: .is),
                    try values.decodeIfPresent(AssetValue.self, forKey: .value))
            }
        } else if let keyword = try values.decodeIfPresent(String.self, forKey: .keyword) {
            self = .keyword(keyword)
        } else if let text = try values.decodeIfPresent(String.self, forKey: .text) {
            self = .text(text)
        } else if let subtypes = try values.decodeIfPresent(
            MediaSubtypes.self, forKey: .subtypes)
        {
            self = .subtypes(subtypes)
        } else if let filters = try values.decodeIfPresent([AssetFilter].self, forKey: .all) {
            self = .all(filters)
        } else if let filters = try values.decodeIfPresent([AssetFilter].self, forKey: .any) {
            self = .any(filters)
        } else {
            self = .not(try values.decode(AssetFilter.self, forKey: .not))
        }
    }

    /// Writes one object: `{"key", "is", "value"}`, `{"key", "in": […]}`, `{"keyword"}`,
    /// `{"text"}`, `{"subtypes": […]}`, `{"all": […]}`, `{"any": […]}` or `{"not": {…}}`. Omits a
    /// `value` of `nil`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .comparison(let key, let comparison, let value):
            try values.encode(key, forKey: .key)
            try values.encode(comparison, forKey: .is)
            try values.encodeIfPresent(value, forKey: .value)
        case .membership(let key, let wanted):
            try values.encode(key, forKey: .key)
            try values.encode(wanted, forKey: .isIn)
        case .keyword(let keyword): try values.encode(keyword, forKey: .keyword)
        case .text(let text): try values.encode(text, forKey: .text)
        case .subtypes(let subtypes): try values.encode(subtypes, forKey: .subtypes)
        case .all(let filters): try values.encode(filters, forKey: .all)
        case .any(let filters): try values.encode(filters, forKey: .any)
        case .not(let filter): try values.encode(filter, forKey: .not)
        }
    }
}
