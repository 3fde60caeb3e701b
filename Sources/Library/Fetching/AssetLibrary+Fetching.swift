// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

extension AssetLibrary {
    /// Finds assets. Returns with the first page; the places of all others are read behind it.
    ///
    /// - Parameter collection: Only what is in it, in its order unless `options` has another; `nil` for
    ///   the whole library. What a moment or smart album is made of is settled now: the result's
    ///   ``FetchResult/changes()`` looks at no other time.
    /// - Throws: `invalidValue` when a value of the filter is not of its property's type, or the
    ///   collection is a folder; `notFound` when there is no such collection; `closed`, `io`.
    public nonisolated func fetchAssets(
        in collection: AssetCollection.Identifier? = nil, _ options: FetchOptions = FetchOptions()
    ) async throws(LibraryError) -> FetchResult<Asset> {
        let query = try await reading { [search] db in
            try AssetQuery(db, options, in: collection, search)
        }
        return FetchResult(try await FoundAssets(self, query))
    }

    /// How many assets a fetch would find now, without making a result.
    /// - Throws: as ``fetchAssets(in:_:)``.
    public nonisolated func countOfAssets(
        in collection: AssetCollection.Identifier? = nil, _ options: FetchOptions = FetchOptions()
    ) async throws(LibraryError) -> Int {
        try await reading { [search] db in
            if options == FetchOptions(), let name = Self.counter(of: collection) {
                return try SmartAlbum.count(db, name)
            }
            return try AssetQuery(db, options, in: collection, search).count(db)
        }
    }

    /// Of the sets whose sizes the database keeps, the one that is wanted.
    private static func counter(of collection: AssetCollection.Identifier?) -> String? {
        switch collection {
        case nil: SmartAlbum.recents.counter
        case .smartAlbum(let album): album.counter
        default: nil
        }
    }

    /// One page of a fetch, without making a result: for readers that know only where they were.
    ///
    /// - Parameters:
    ///   - cursor: Where the page before ended; `nil` for the first page.
    ///   - limit: At the most so many; ``FetchOptions/fetchLimit`` does not count here.
    /// - Throws: as ``fetchAssets(in:_:)``.
    public nonisolated func assets(
        _ options: FetchOptions = FetchOptions(), after cursor: FetchCursor? = nil, limit: Int
    ) async throws(LibraryError) -> [Asset] {
        try await rows(options, in: nil, after: cursor, limit: limit).rows.map(\.asset)
    }

    /// As ``assets(_:after:limit:)``, with where the originals lie.
    public nonisolated func resources(
        _ options: FetchOptions = FetchOptions(), after cursor: FetchCursor? = nil, limit: Int
    ) async throws(LibraryError) -> [AssetResource] {
        try await rows(options, in: nil, after: cursor, limit: limit).rows.map {
            AssetResource($0, in: layout)
        }
    }

    /// As ``resources(_:after:limit:)``, of a collection, with where the next page begins.
    public nonisolated func page(
        in collection: AssetCollection.Identifier? = nil, _ options: FetchOptions,
        after cursor: FetchCursor?, limit: Int
    ) async throws(LibraryError) -> AssetPage {
        let (rows, next) = try await rows(options, in: collection, after: cursor, limit: limit)
        return AssetPage(assets: rows.map { AssetResource($0, in: layout) }, next: next)
    }

    private nonisolated func rows(
        _ options: FetchOptions, in collection: AssetCollection.Identifier?,
        after cursor: FetchCursor?, limit: Int
    ) async throws(LibraryError) -> (rows: [AssetRow], next: FetchCursor?) {
        precondition(limit > 0, "page of \(limit) assets")
        return try await reading { [search] db in
            let query = try AssetQuery(db, options, in: collection, search)
            let rows = try query.rows(db, after: cursor, limit: limit)
            return (rows, try rows.last.map { try query.cursor(db, after: $0.asset) })
        }
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
