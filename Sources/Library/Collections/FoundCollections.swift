// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// Collections as of their fetch. Pages after the first are read in the background.
final class FoundCollections: FoundObjects {
    private static let firstPageSize = FetchResult<AssetCollection>.pageSize

    private let library: AssetLibrary
    private let options: CollectionFetchOptions
    private let firstPage: [AssetCollection]
    /// All collections; `nil` if the first page is all.
    private let rest: ReadBehind<[AssetCollection]>?

    /// Fetches the first page.
    /// - Throws: `notFound` if the folder does not exist; `invalidValue`, `closed`, `io`.
    init(
        _ library: AssetLibrary, _ options: CollectionFetchOptions
    ) async throws(LibraryError) {
        self.library = library
        self.options = options
        let isPaged = [.moments, .sessions].contains(options.kind)
        let page = try await library.reading { db in
            try options.collections(db, page: isPaged ? Self.firstPageSize : nil)
        }
        firstPage = page
        guard isPaged, page.count == Self.firstPageSize, options.fetchLimit != page.count else {
            rest = nil
            return
        }
        rest = ReadBehind {
            try await library.reading { db in
                let others = try options.collections(
                    db, after: page.last, page: (options.fetchLimit ?? .max) - page.count)
                // A moment whose time was corrected meanwhile keeps its place in the first page.
                let known = Set(page.map(\.id))
                return page + others.filter { !known.contains($0.id) }
            }
        }
    }

    private var collections: [AssetCollection] {
        get async throws(LibraryError) { try await rest?.value ?? firstPage }
    }

    var isEmpty: Bool { firstPage.isEmpty }

    var count: Int {
        get async throws(LibraryError) { try await collections.count }
    }

    func objects(at range: Range<Int>) async throws(LibraryError) -> [AssetCollection?] {
        let isInFirstPage = range.lowerBound >= 0 && range.upperBound <= firstPage.count
        let collections = isInFirstPage ? firstPage : try await collections
        return Array(collections[range.clamped(to: collections.indices)])
    }

    func changes() async throws(LibraryError) -> FetchResultChanges<AssetCollection>? {
        let (before, now) = (try await collections, try await FoundCollections(library, options))
        let after = try await now.collections
        func byIdentifier(_ collections: [AssetCollection])
            -> [AssetCollection.Identifier: AssetCollection]
        {
            Dictionary(uniqueKeysWithValues: collections.map { ($0.id, $0) })
        }
        let (old, new) = (byIdentifier(before), byIdentifier(after))
        return FetchResultChanges(
            FetchResult(now), before: before.map(\.id), after: after.map(\.id)
        ) { old[$0] != new[$0] }
    }
}

extension AssetLibrary {
    /// Fetches collections as they are now; see ``FetchResult/changes()`` for later changes.
    /// - Throws: `notFound` if the folder does not exist; `invalidValue`, `closed`, `io`.
    public nonisolated func fetchCollections(
        _ options: CollectionFetchOptions
    ) async throws(LibraryError) -> FetchResult<AssetCollection> {
        FetchResult(try await FoundCollections(self, options))
    }
}
