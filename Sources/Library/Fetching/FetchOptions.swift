// SPDX-License-Identifier: GPL-3.0-or-later

/// A property to sort by. Assets without a value come first, or last in descending order.
public struct AssetSortDescriptor: Hashable, Sendable, Codable {
    /// The property. Texts are in the order of their code points.
    public let key: AssetKey
    /// Whether the order is from low to high.
    public let ascending: Bool

    /// Creates a descriptor, from low to high by default.
    public init(_ key: AssetKey, ascending: Bool = true) {
        self.key = key
        self.ascending = ascending
    }
}

/// The assets that a fetch finds, and their order (PHFetchOptions' counterpart).
public struct FetchOptions: Hashable, Sendable, Codable {
    /// The filter that assets must match; `nil` for all that the other options include.
    public var filter: AssetFilter?
    /// The properties to sort by, most important first. Assets that are equal in all of them are in
    /// the order of ``Asset/sequence``, descending if the last descriptor is.
    public var sortDescriptors: [AssetSortDescriptor]
    /// The maximum number of assets, from the beginning of the order; `nil` for all.
    public var fetchLimit: Int?
    /// Whether to include hidden assets.
    public var includesHidden: Bool
    /// Whether to include all photos of each burst, not only the one that represents it.
    public var includesAllBurstMembers: Bool
    /// Whether to include assets in "recently deleted".
    public var includesDeleted: Bool

    /// Creates options; the defaults find all in view in the order of ``Asset/sequence``.
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

    /// Options that find all assets, also hidden and deleted ones and all photos of bursts.
    public static let everything = FetchOptions(
        includesHidden: true, includesAllBurstMembers: true, includesDeleted: true)

    /// Whether an asset, as it was when read, is found, regardless of the limit.
    public func matches(_ asset: Asset) -> Bool {
        (includesHidden || !asset.isHidden) && (includesDeleted || asset.deletedAt == nil)
            && (includesAllBurstMembers || asset.burstID == nil || asset.representsBurst)
            && filter?.matches(asset) ?? true
    }
}

extension FetchOptions {
    /// Reads the encoded form. Missing keys have their default values. Throws for invalid values.
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
