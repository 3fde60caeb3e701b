// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import Synchronization

/// Assets in the order of a query at one moment. The first page is there at once; the sequences of all
/// are read behind it, 8 bytes each.
final class FoundAssets: FoundObjects {
    private static let firstPageSize = FetchResult<Asset>.pageSize

    private let library: AssetLibrary
    private let query: AssetQuery
    /// The moment of the first page, or a later one at which the same would have been found.
    private let token: Mutex<ChangeToken>
    private let firstPage: [Int64]
    /// `nil` when the first page is all.
    private let rest: Task<[Int64], any Error>?
    /// What it has read, once somebody has waited for it.
    private let all = Mutex<[Int64]?>(nil)

    /// - Throws: `closed`, `io`.
    init(_ library: AssetLibrary, _ query: AssetQuery) async throws(LibraryError) {
        let options = query.options
        let limit = min(options.fetchLimit ?? .max, Self.firstPageSize)
        let (page, token, newest) = try await library.reading { db in
            (
                try query.rows(db, after: nil, limit: limit).map(\.asset),
                try AssetLibrary.token(db),
                try Int64.fetchOne(
                    db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'asset'") ?? 0
            )
        }
        self.library = library
        self.query = query
        self.token = Mutex(token)
        firstPage = page.map(\.sequence)
        rest =
            page.count < Self.firstPageSize || options.fetchLimit == page.count
            ? nil
            : Self.readAll(
                of: query, behind: firstPage, upTo: newest, library)
    }

    deinit { rest?.cancel() }

    /// Read a moment after the first page. No asset is there twice: those of the first page stay where they
    /// were, what is new since is left out, and what changed in between is where it is now.
    private static func readAll(
        of query: AssetQuery, behind firstPage: [Int64], upTo newest: Int64,
        _ library: AssetLibrary
    ) -> Task<[Int64], any Error> {
        Task {
            try await library.reading { db in
                try query.sequences(db, beginningWith: firstPage, upTo: newest)
            }
        }
    }

    /// Whoever does not want to know any more waits no longer; it is read for all others.
    private var sequences: [Int64] {
        get async throws(LibraryError) {
            guard let rest else { return firstPage }
            if let all = all.withLock(\.self) { return all }
            let (answers, answer) = AsyncStream.makeStream(of: Result<[Int64], any Error>.self)
            Task {
                answer.yield(await rest.result)
                answer.finish()
            }
            var iterator = answers.makeAsyncIterator()
            guard !Task.isCancelled, let result = await iterator.next() else {
                throw LibraryError(.cancelled, "fetch: cancelled")
            }
            do {
                let sequences = try result.get()
                all.withLock { $0 = sequences }
                return sequences
            } catch let error as LibraryError {
                throw error
            } catch {
                throw LibraryError(.cancelled, "fetch: \(error)", underlying: error)
            }
        }
    }

    func changes() async throws(LibraryError) -> FetchResultChanges<Asset>? {
        let since = token.withLock(\.self)
        if try await library.changes(since: since).isEmpty { return nil }
        let now = try await FoundAssets(library, query)
        let after = try await now.sequences
        // Behind the places: all that may have changed them is in it.
        let history = try await library.changes(since: since)
        let updated = Set(history.updated)
        let touched = updated.union(history.inserted).union(history.deleted)
        let changes = FetchResultChanges(
            FetchResult(now), before: try await sequences, after: after,
            mayDiffer: touched.contains, isChanged: updated.contains)
        if changes == nil {
            let moment = now.token.withLock(\.self)
            token.withLock { $0 = max($0, moment) }
        }
        return changes
    }

    var isEmpty: Bool { firstPage.isEmpty }

    var count: Int {
        get async throws(LibraryError) { try await sequences.count }
    }

    func objects(at range: Range<Int>) async throws(LibraryError) -> [Asset?] {
        let isInFirstPage = range.lowerBound >= 0 && range.upperBound <= firstPage.count
        let sequences = isInFirstPage ? firstPage : try await sequences
        let wanted = sequences[range.clamped(to: sequences.indices)]
        if wanted.isEmpty { return [] }
        return try await library.assets(withSequences: Array(wanted))
    }
}
