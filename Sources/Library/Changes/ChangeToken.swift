// SPDX-License-Identifier: GPL-3.0-or-later

/// A moment in the library's history (PHPersistentChangeToken's counterpart). It may be written down and
/// used after a restart.
public struct ChangeToken: Hashable, Sendable, Comparable {
    /// The number of the last change before it.
    let value: Int64

    /// The earlier one is less.
    public static func < (one: ChangeToken, other: ChangeToken) -> Bool { one.value < other.value }
}

extension ChangeToken: Codable {
    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes the bare number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// What happened to assets between two moments, each named once by its ``Asset/sequence``, in order
/// (PHPersistentChange's counterpart). What came and went in between is not there.
public struct ChangeHistory: Hashable, Sendable, Codable {
    /// Where it ends: what comes later is in the history since then.
    public let token: ChangeToken
    /// Assets that are new.
    public let inserted: [Int64]
    /// Assets that were there and are not as they were.
    public let updated: [Int64]
    /// Assets that are gone for good; those in "recently deleted" are updated.
    public let deleted: [Int64]

    /// Whether nothing happened.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}
