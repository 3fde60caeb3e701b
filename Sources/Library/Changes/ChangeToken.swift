// SPDX-License-Identifier: GPL-3.0-or-later

/// A moment in the library's history (PHPersistentChangeToken's counterpart). It may be written down and
/// used after a restart.
public struct ChangeToken: Hashable, Sendable, Comparable {
    /// The number of the last change before it.
    let value: Int64

    /// Of a number that was written down; one that never was means the past or nothing.
    public init(_ value: Int64) { self.value = value }

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

/// What happened between two moments, each asset named once by its ``Asset/sequence``, each album and folder
/// by its id (PHPersistentChange's counterpart). What came and went in between counts as gone, so that a reader may
/// first ask for the moment, then read everything, and go on from that moment.
public struct ChangeHistory: Hashable, Sendable, Codable {
    /// Where it ends: what comes later is in the history since then.
    public let token: ChangeToken
    /// Assets that are new.
    public let inserted: [Int64]
    /// Assets that were there and are not as they were.
    public let updated: [Int64]
    /// Assets that are gone for good, also of those that came in between; those in "recently deleted" are
    /// updated.
    public let deleted: [Int64]

    /// Albums and folders that are new.
    public let insertedCollections: [AssetCollection.Identifier]
    /// Albums and folders that were there and are not as they were, or hold others.
    public let updatedCollections: [AssetCollection.Identifier]
    /// Albums and folders that are gone, also of those that came in between.
    public let deletedCollections: [AssetCollection.Identifier]

    /// Whether nothing happened.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && insertedCollections.isEmpty
            && updatedCollections.isEmpty && deletedCollections.isEmpty
    }
}
