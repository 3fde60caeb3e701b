// SPDX-License-Identifier: GPL-3.0-or-later

public import Library

/// What the verb `press` answers.
public enum PressAnswer: Sendable, Codable {
    /// Whether the press did something; its JSON form is `{"accepted": …}`.
    case accepted(Bool)
    /// The photo that it took, where that was waited for; its JSON form is the asset's.
    case saved(Asset)

    private enum CodingKeys: CodingKey { case accepted }

    /// Takes what has no key `accepted` for an asset; throws what decoding that does.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let isAccepted = try values.decodeIfPresent(Bool.self, forKey: .accepted) {
            self = .accepted(isAccepted)
        } else {
            self = .saved(try Asset(from: decoder))
        }
    }

    /// Writes `{"accepted": …}`, or the asset as it writes itself.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .accepted(let isAccepted):
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(isAccepted, forKey: .accepted)
        case .saved(let asset): try asset.encode(to: encoder)
        }
    }
}
