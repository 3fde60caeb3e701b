// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

extension AssetLibrary {
    /// Finds assets. Returns with the first page; the places of all others are read behind it.
    /// - Throws: `invalidValue` when a value of the filter is not of its property's type; `closed`, `io`.
    public nonisolated func fetchAssets(
        _ options: FetchOptions = FetchOptions()
    ) async throws(LibraryError) -> FetchResult<Asset> {
        FetchResult(try await FoundAssets(self, options))
    }

    /// How many assets a fetch would find now, without making a result.
    /// - Throws: as ``fetchAssets(_:)``.
    public nonisolated func countOfAssets(
        _ options: FetchOptions = FetchOptions()
    ) async throws(LibraryError) -> Int {
        let query = try AssetQuery(options)
        return try await reading { db in try query.count(db) }
    }

    /// One page of a fetch, without making a result: for readers that know only where they were.
    ///
    /// - Parameters:
    ///   - cursor: Where the page before ended; `nil` for the first page.
    ///   - limit: At the most so many; ``FetchOptions/fetchLimit`` does not count here.
    /// - Throws: as ``fetchAssets(_:)``.
    public nonisolated func assets(
        _ options: FetchOptions = FetchOptions(), after cursor: FetchCursor? = nil, limit: Int
    ) async throws(LibraryError) -> [Asset] {
        try await rows(options, after: cursor, limit: limit).map(\.asset)
    }

    /// As ``assets(_:after:limit:)``, with where the originals lie.
    public nonisolated func resources(
        _ options: FetchOptions = FetchOptions(), after cursor: FetchCursor? = nil, limit: Int
    ) async throws(LibraryError) -> [AssetResource] {
        try await rows(options, after: cursor, limit: limit).map { AssetResource($0, in: layout) }
    }

    /// As ``resources(_:after:limit:)``, with where the next page begins.
    public nonisolated func page(
        _ options: FetchOptions, after cursor: FetchCursor?, limit: Int
    ) async throws(LibraryError) -> AssetPage {
        let assets = try await resources(options, after: cursor, limit: limit)
        return AssetPage(
            assets: assets, next: assets.last.map { FetchCursor($0.asset, in: options) })
    }

    private nonisolated func rows(
        _ options: FetchOptions, after cursor: FetchCursor?, limit: Int
    ) async throws(LibraryError) -> [AssetRow] {
        precondition(limit > 0, "page of \(limit) assets")
        let query = try AssetQuery(options)
        return try await reading { db in try query.rows(db, after: cursor, limit: limit) }
    }

    /// The assets with these sequences, in their order; `nil` for those that are gone.
    nonisolated func assets(
        withSequences sequences: [Int64]
    ) async throws(LibraryError) -> [Asset?] {
        let list = "[" + sequences.map(String.init).joined(separator: ",") + "]"
        let found = try await reading { db in
            try AssetRow.fetch(
                db, "WHERE sequence IN (SELECT value FROM json_each(?))", [list]
            ).map(\.asset)
        }
        let bySequence = Dictionary(uniqueKeysWithValues: found.map { ($0.sequence, $0) })
        return sequences.map { bySequence[$0] }
    }
}
