// SPDX-License-Identifier: GPL-3.0-or-later

/// By what a fetch sorts. Assets without a value come before all others, last when descending.
public struct AssetSortDescriptor: Hashable, Sendable, Codable {
    /// The property; texts are in the order of their code points.
    public let key: AssetKey
    /// From low to high.
    public let ascending: Bool

    /// From low to high unless said otherwise.
    public init(_ key: AssetKey, ascending: Bool = true) {
        self.key = key
        self.ascending = ascending
    }
}

/// Which assets a fetch finds, and in which order (PHFetchOptions' counterpart).
public struct FetchOptions: Hashable, Sendable, Codable {
    /// `nil` for all that the other options let through.
    public var filter: AssetFilter?
    /// Assets that are equal in all of these, and all assets when there are none, are in the order of
    /// ``Asset/sequence``; the highest first when the last of these is descending.
    public var sortDescriptors: [AssetSortDescriptor]
    /// At the most so many, the first of the order; `nil` for all.
    public var fetchLimit: Int?
    /// Also those that are hidden.
    public var includesHidden: Bool
    /// All photos of each burst, not only the one that stands for it.
    public var includesAllBurstMembers: Bool
    /// Also what is in "recently deleted".
    public var includesDeleted: Bool

    /// Everything in view, in the order of ``Asset/sequence``, unless said otherwise.
    public init(
        filter: AssetFilter? = nil, sortDescriptors: [AssetSortDescriptor] = [],
        fetchLimit: Int? = nil, includesHidden: Bool = false,
        includesAllBurstMembers: Bool = false, includesDeleted: Bool = false
    ) {
        self.filter = filter
        self.sortDescriptors = sortDescriptors
        self.fetchLimit = fetchLimit
        self.includesHidden = includesHidden
        self.includesAllBurstMembers = includesAllBurstMembers
        self.includesDeleted = includesDeleted
    }

    /// Everything that is stored, also what is hidden, deleted or one of a burst.
    public static let everything = FetchOptions(
        includesHidden: true, includesAllBurstMembers: true, includesDeleted: true)

    /// Whether an asset, as it was when read, is found; the limit is not looked at.
    public func matches(_ asset: Asset) -> Bool {
        (includesHidden || !asset.isHidden) && (includesDeleted || asset.deletedAt == nil)
            && (includesAllBurstMembers || asset.burstID == nil || asset.representsBurst)
            && filter?.matches(asset) ?? true
    }
}

extension FetchOptions {
    /// Reads what is encoded; what is left out is as usual. Throws for values that are none.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func flag(_ key: CodingKeys) throws -> Bool {
            try values.decodeIfPresent(Bool.self, forKey: key) ?? false
        }
        self.init(
            filter: try values.decodeIfPresent(AssetFilter.self, forKey: .filter),
            sortDescriptors: try values.decodeIfPresent(
                [AssetSortDescriptor].self, forKey: .sortDescriptors) ?? [],
            fetchLimit: try values.decodeIfPresent(Int.self, forKey: .fetchLimit),
            includesHidden: try flag(.includesHidden),
            includesAllBurstMembers: try flag(.includesAllBurstMembers),
            includesDeleted: try flag(.includesDeleted))
    }
}
