// SPDX-License-Identifier: GPL-3.0-or-later

public import Library

/// What the verb `press` answers.
public enum PressAnswer: Sendable, Codable {
    /// Whether the press did something; its JSON form is `{"accepted": …}`.
    case accepted(Bool)
    /// The photo or clip that it took, where that was waited for; its JSON form is the asset's, with `"isCut": true` for a
    /// clip that ended before anybody wanted that.
    case saved(Asset, isCut: Bool = false)

    private enum CodingKeys: CodingKey { case accepted, isCut }

    /// Takes what has no key `accepted` for an asset; throws what decoding that does.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let isAccepted = try values.decodeIfPresent(Bool.self, forKey: .accepted) {
            self = .accepted(isAccepted)
        } else {
            self = .saved(
                try Asset(from: decoder),
                isCut: try values.decodeIfPresent(Bool.self, forKey: .isCut) ?? false)
        }
    }

    /// Writes `{"accepted": …}`, or the asset as it writes itself.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .accepted(let isAccepted):
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(isAccepted, forKey: .accepted)
        case .saved(let asset, let isCut):
            try asset.encode(to: encoder)
            guard isCut else { return }
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(true, forKey: .isCut)
        }
    }
}
