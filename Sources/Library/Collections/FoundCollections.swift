// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// Collections as they were at one moment.
struct FoundCollections: FoundObjects {
    private let library: AssetLibrary
    private let options: CollectionFetchOptions
    private let collections: [AssetCollection]

    /// - Throws: `notFound` when the folder is not there; `invalidValue`, `closed`, `io`.
    init(
        _ library: AssetLibrary, _ options: CollectionFetchOptions
    ) async throws(LibraryError) {
        self.library = library
        self.options = options
        collections = try await library.reading { db in try options.collections(db) }
    }

    var isEmpty: Bool { collections.isEmpty }
    var count: Int { collections.count }

    func objects(at range: Range<Int>) -> [AssetCollection?] {
        Array(collections[range.clamped(to: collections.indices)])
    }

    func changes() async throws(LibraryError) -> FetchResultChanges<AssetCollection>? {
        let now = try await FoundCollections(library, options)
        func byIdentifier(_ collections: [AssetCollection])
            -> [AssetCollection.Identifier: AssetCollection]
        {
            Dictionary(uniqueKeysWithValues: collections.map { ($0.id, $0) })
        }
        let (old, new) = (byIdentifier(collections), byIdentifier(now.collections))
        return FetchResultChanges(
            FetchResult(now), before: collections.map(\.id), after: now.collections.map(\.id)
        ) { old[$0] != new[$0] }
    }
}

extension AssetLibrary {
    /// Finds collections. They are as they are now: ask the result for its
    /// ``FetchResult/changes()`` when something changed.
    /// - Throws: `notFound` when the folder is not there; `invalidValue`, `closed`, `io`.
    public nonisolated func fetchCollections(
        _ options: CollectionFetchOptions
    ) async throws(LibraryError) -> FetchResult<AssetCollection> {
        FetchResult(try await FoundCollections(self, options))
    }
}
