// SPDX-License-Identifier: GPL-3.0-or-later

/// A moment in the library's history (PHPersistentChangeToken's counterpart). It may be stored and
/// used after a restart.
public struct ChangeToken: Hashable, Sendable, Comparable {
    /// The number of the last change before the moment.
    let value: Int64

    /// Creates a token from a stored number. A wrong number means another moment or is `expired`.
    public init(_ value: Int64) { self.value = value }

    /// Whether the first moment is earlier.
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

/// The changes between two moments (PHPersistentChange's counterpart). Each asset is named once by
/// its ``Asset/sequence``, each album and folder by its identifier.
///
/// An object that was inserted and then deleted counts as deleted, so that a reader can ask for the
/// current moment, then read everything, and continue from that moment.
public struct ChangeHistory: Hashable, Sendable, Codable {
    /// The moment at which these changes end and later ones begin.
    public let token: ChangeToken
    /// New assets.
    public let inserted: [Int64]
    /// Earlier assets that have changed.
    public let updated: [Int64]
    /// Assets that were removed permanently, including those inserted in between. An asset in
    /// "recently deleted" counts as updated.
    public let deleted: [Int64]

    /// New albums and folders.
    public let insertedCollections: [AssetCollection.Identifier]
    /// Earlier albums and folders that have changed, or whose content has.
    public let updatedCollections: [AssetCollection.Identifier]
    /// Albums and folders that were deleted, including those inserted in between.
    public let deletedCollections: [AssetCollection.Identifier]

    /// Whether nothing has changed.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && insertedCollections.isEmpty
            && updatedCollections.isEmpty && deletedCollections.isEmpty
    }
}
