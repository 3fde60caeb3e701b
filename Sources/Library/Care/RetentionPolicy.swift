// SPDX-License-Identifier: GPL-3.0-or-later

/// What goes for good of itself, and when. Favourites never do, unless they were deleted.
public struct RetentionPolicy: Hashable, Sendable {
    /// For how many days what was deleted can be restored; `nil`: until it is purged.
    public var deletedDays: Int?
    /// For how many days photos and videos are kept; `nil` for ever.
    public var mostDays: Int?
    /// How many are kept, the newest; `nil` for all.
    public var mostAssets: Int?
    /// Bytes that are to be free: for as long as they are not, the oldest go; `nil` for no such goal.
    public var leastFreeBytes: Int64?
    /// Whether only that goes by age, number and space which a remote has.
    public var requiresSync: Bool

    /// Nothing goes but by what is given.
    public init(
        deletedDays: Int? = nil, mostDays: Int? = nil, mostAssets: Int? = nil,
        leastFreeBytes: Int64? = nil, requiresSync: Bool = true
    ) {
        self.deletedDays = deletedDays
        self.mostDays = mostDays
        self.mostAssets = mostAssets
        self.leastFreeBytes = leastFreeBytes
        self.requiresSync = requiresSync
    }
}

/// Why something goes.
public enum RetentionReason: String, Hashable, Sendable, Codable, CodingKeyRepresentable,
    CaseIterable
{
    /// It was deleted long enough ago.
    case deleted
    case age, count, space
}

/// What has gone by a ``RetentionPolicy``, or would go.
public struct RetentionReport: Hashable, Sendable, Codable {
    /// One asset.
    public struct Item: Hashable, Sendable, Codable {
        /// The asset's.
        public let id: String
        /// The asset's.
        public let sequence: Int64
        /// As an export would name it.
        public let fileName: String
        /// Of the original, and the RAW beside it.
        public let bytes: Int64
        /// The first that applies.
        public let reason: RetentionReason
    }

    /// The first of them, at the most ``mostItems``.
    public internal(set) var items: [Item] = []
    /// How many for each reason.
    public internal(set) var counts: [RetentionReason: Int] = [:]
    /// Of all of them.
    public internal(set) var bytes: Int64 = 0
    /// What would go if a remote had it, and stays.
    public internal(set) var waitingForSync = 0
    /// Whether the clock is not known to be right, so that nothing goes by its age.
    public internal(set) var isWaitingForClock = false

    /// So many are named.
    public static let mostItems = 500
    /// All.
    public var count: Int { counts.values.reduce(0, +) }

    mutating func add(_ item: Item) {
        counts[item.reason, default: 0] += 1
        bytes += item.bytes
        if items.count < Self.mostItems { items.append(item) }
    }
}
