// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

extension AssetLibrary {
    /// Finds assets. Returns with the first page; the other results are read in the background.
    /// - Parameter collection: The collection to search; `nil` for the whole library. Its order
    ///   applies unless `options` has another. The times of a moment or smart album are fixed now,
    ///   for ``FetchResult/changes()`` too.
    /// - Throws: `invalidValue` if a filter's value is not of its property's type or the collection
    ///   is a folder; `notFound` if the collection does not exist; `closed`, `io`.
    public nonisolated func fetchAssets(
        in collection: AssetCollection.Identifier? = nil, _ options: FetchOptions = FetchOptions()
    ) async throws(LibraryError) -> FetchResult<Asset> {
        let query = try await reading { [search] db in
            try AssetQuery(db, options, in: collection, search)
        }
        return FetchResult(try await FoundAssets(self, query))
    }

    /// Returns how many assets a fetch would find now.
    /// - Throws: See ``fetchAssets(in:_:)``.
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

    /// Returns the name of the kept count of a collection's assets; `nil` if there is none.
    private static func counter(of collection: AssetCollection.Identifier?) -> String? {
        switch collection {
        case nil: SmartAlbum.recents.counter
        case .smartAlbum(let album): album.counter
        default: nil
        }
    }

    /// Returns a page of a fetch, for readers that keep a cursor instead of a ``FetchResult``. It
    /// begins after `cursor`, the end of the page before, and has at most `limit` assets, whatever
    /// ``FetchOptions/fetchLimit`` says.
    /// - Throws: See ``fetchAssets(in:_:)``.
    public nonisolated func assets(
        _ options: FetchOptions = FetchOptions(), after cursor: FetchCursor? = nil, limit: Int
    ) async throws(LibraryError) -> [Asset] {
        try await rows(options, in: nil, after: cursor, limit: limit).rows.map(\.asset)
    }

    /// Returns a page like ``assets(_:after:limit:)``, with the paths of the originals.
    public nonisolated func resources(
        _ options: FetchOptions = FetchOptions(), after cursor: FetchCursor? = nil, limit: Int
    ) async throws(LibraryError) -> [AssetResource] {
        try await rows(options, in: nil, after: cursor, limit: limit).rows.map {
            AssetResource($0, in: layout)
        }
    }

    /// Returns a page like ``resources(_:after:limit:)``, of a collection and with the next cursor.
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

    /// Returns the assets with these sequences, in the same order; `nil` for those that are gone.
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
