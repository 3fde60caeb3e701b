// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials

/// An asset and where its original lies. Its `Codable` form is the asset's with `path` added.
public struct AssetResource: Hashable, Sendable, Codable {
    /// What is known of it.
    public let asset: Asset
    /// The original's file, for reading only. It never changes.
    public let path: String

    private enum CodingKeys: CodingKey { case path }

    init(_ row: AssetRow, in layout: LibraryLayout) {
        asset = row.asset
        path = layout.original(row.path)
    }

    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        asset = try Asset(from: decoder)
        path = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .path)
    }

    /// One object: the asset's keys and `path`.
    public func encode(to encoder: any Encoder) throws {
        try asset.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(path, forKey: .path)
    }
}

/// Assets of a fetch, and where the next page begins.
public struct AssetPage: Hashable, Sendable, Codable {
    /// In the fetch's order.
    public let assets: [AssetResource]
    /// Behind the last of them, as the library has it: an asset's JSON is less exact. `nil` when there
    /// is none.
    public let next: FetchCursor?
}

/// Where assets are read: an open library, or a process that has one open.
public protocol AssetSource {
    /// How much there is.
    func statistics() async throws -> LibraryStatistics
    /// One page of a fetch, as ``AssetLibrary/page(_:after:limit:)``.
    func page(
        _ options: FetchOptions, after cursor: FetchCursor?, limit: Int
    ) async throws -> AssetPage
    /// How many assets a fetch would find now.
    func countOfAssets(_ options: FetchOptions) async throws -> Int
    /// The asset that `id` names, as ``AssetLibrary/asset(id:)``.
    /// - Throws: ``LibraryError`` `notFound` or `ambiguous`.
    func resource(id: String) async throws -> AssetResource
}

/// Where assets are read and changed: an open library, or a process that has one open.
public protocol AssetEditor: AssetSource {
    /// Makes all these changes to the assets that `ids` name, or none, as
    /// ``AssetLibrary/performChanges(from:_:)``; answers how many assets are not as they were.
    /// - Throws: ``LibraryError``.
    func change(_ ids: [String], _ changes: [AssetChange]) async throws -> Int
}

extension AssetLibrary: AssetEditor {
    /// As ``asset(id:)``, with where the original lies.
    public nonisolated func resource(id: String) async throws(LibraryError) -> AssetResource {
        AssetResource(try await row(id: id), in: layout)
    }

    /// As ``performChanges(from:_:)``, a person's.
    public func change(_ ids: [String], _ changes: [AssetChange]) async throws -> Int {
        var request = LibraryChanges()
        var assets: [UUID] = []
        for id in ids {
            let asset = try await asset(id: id).id
            if !assets.contains(asset) { assets.append(asset) }
        }
        for change in changes { request.change(assets, change) }
        return try perform(request, from: .operator)
    }
}
