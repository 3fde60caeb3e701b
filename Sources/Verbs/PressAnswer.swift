// SPDX-License-Identifier: GPL-3.0-or-later

public import Library

/// The answer of the verb `press`.
public enum PressAnswer: Sendable, Codable {
    /// Whether the press did something; its JSON form is `{"accepted": …}`.
    case accepted(Bool)
    /// The photo or clip that the press took, if the client waited for it. Its JSON form is the
    /// asset's, with `"isCut": true` for a clip that ended before anybody wanted that.
    case saved(Asset, isCut: Bool = false)

    private enum CodingKeys: CodingKey { case accepted, isCut }

    /// Decodes an asset if there is no key `accepted`.
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

    /// Encodes `{"accepted": …}`, or the asset.
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
