// SPDX-License-Identifier: GPL-3.0-or-later

/// The rules for permanently removing assets. Favourites and recovered assets are removed only
/// after a person deleted them.
public struct RetentionPolicy: Hashable, Sendable {
    /// The number of days for which deleted assets can be restored; `nil` for no limit.
    public var deletedDays: Int?
    /// The number of days for which assets are kept; `nil` for no limit.
    public var mostDays: Int?
    /// The number of assets to keep, newest first; `nil` for no limit.
    public var mostAssets: Int?
    /// The number of bytes to keep free by removing the oldest assets; `nil` for no such goal.
    public var leastFreeBytes: Int64?
    /// Whether age, count and space remove only originals that a remote has, and keep the assets.
    public var requiresSync: Bool
    /// The remote that must have them; `nil` if there is none.
    package var remote: SyncRemote?

    /// Creates a policy that removes nothing except by the given limits.
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

/// The reason for removing an asset.
public enum RetentionReason: String, Hashable, Sendable, Codable, CodingKeyRepresentable,
    CaseIterable
{
    /// The asset was deleted long enough ago.
    case deleted
    case age, count, space
}

/// The assets that a ``RetentionPolicy`` has removed or would remove.
public struct RetentionReport: Hashable, Sendable, Codable {
    /// An asset that was or would be removed.
    public struct Item: Hashable, Sendable, Codable {
        /// The asset's ``Asset/id``.
        public let id: String
        /// The asset's ``Asset/sequence``.
        public let sequence: Int64
        /// The name that an export would give the original.
        public let fileName: String
        /// The size of the original and its RAW.
        public let bytes: Int64
        /// The first reason that applies.
        public let reason: RetentionReason
        /// Whether the asset stays, and only its original and RAW go.
        public let isEviction: Bool

        private enum CodingKeys: String, CodingKey {
            case id, sequence, fileName, bytes, reason
            case isEviction = "remoteOnly"
        }
    }

    /// The first ``mostItems`` assets.
    public internal(set) var items: [Item] = []
    /// The number of assets per reason.
    public internal(set) var counts: [RetentionReason: Int] = [:]
    /// The size of all assets together.
    public internal(set) var bytes: Int64 = 0
    /// The number of assets that stay, and have their original only at the remote.
    public internal(set) var evicted = 0
    /// The number of assets that stay because no remote has them.
    public internal(set) var waitingForSync = 0
    /// Whether age is ignored because the clock is not known to be right.
    public internal(set) var isWaitingForClock = false

    /// The maximum length of ``items``.
    public static let mostItems = 500
    /// The number of all assets.
    public var count: Int { counts.values.reduce(0, +) }

    mutating func add(_ item: Item) {
        counts[item.reason, default: 0] += 1
        if item.isEviction { evicted += 1 }
        bytes += item.bytes
        if items.count < Self.mostItems { items.append(item) }
    }
}
