// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import Synchronization

/// Assets in the order of a query at one moment. The first page is there at once; the sequences of all
/// are read behind it, 8 bytes each.
final class FoundAssets: FoundObjects {
    private static let firstPageSize = FetchResult<Asset>.pageSize

    private let library: AssetLibrary
    private let firstPage: [Int64]
    /// The assets of the page that was read last.
    private let lastRead: Mutex<(range: Range<Int>, assets: [Asset?])>
    /// `nil` when the first page is all.
    private let rest: Task<[Int64], any Error>?

    /// - Throws: `invalidValue`, `closed`, `io`.
    init(_ library: AssetLibrary, _ options: FetchOptions) async throws(LibraryError) {
        let query = try AssetQuery(options)
        let limit = min(options.fetchLimit ?? .max, Self.firstPageSize)
        let (page, newest) = try await library.reading { db in
            (
                try query.rows(db, after: nil, limit: limit).map(\.asset),
                try Int64.fetchOne(
                    db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'asset'") ?? 0
            )
        }
        self.library = library
        firstPage = page.map(\.sequence)
        lastRead = Mutex((0..<page.count, page))
        rest =
            page.count < Self.firstPageSize || options.fetchLimit == page.count
            ? nil
            : Self.readAll(of: query, behind: firstPage, upTo: newest, library)
    }

    deinit { rest?.cancel() }

    /// No page repeats or skips an asset: those of the first page stay where they were, what came since
    /// is left out, and what has another place in the order since is there once.
    private static func readAll(
        of query: AssetQuery, behind firstPage: [Int64], upTo newest: Int64,
        _ library: AssetLibrary
    ) -> Task<[Int64], any Error> {
        Task {
            let isFirst = Set(firstPage)
            let all = try await library.reading { db in
                try query.sequences(db, upTo: newest)
            }
            return firstPage + all.filter { !isFirst.contains($0) }
        }
    }

    private var sequences: [Int64] {
        get async throws(LibraryError) {
            guard let rest else { return firstPage }
            do {
                return try await rest.value
            } catch let error as LibraryError {
                throw error
            } catch {
                throw LibraryError(.cancelled, "fetch: \(error)", underlying: error)
            }
        }
    }

    var isEmpty: Bool { firstPage.isEmpty }

    var count: Int {
        get async throws(LibraryError) { try await sequences.count }
    }

    func objects(at range: Range<Int>) async throws(LibraryError) -> [Asset?] {
        if let read = lastRead.withLock({ $0.range.contains(range) ? $0 : nil }) {
            let start = range.lowerBound - read.range.lowerBound
            return Array(read.assets[start..<start + range.count])
        }
        let isInFirstPage = firstPage.indices.contains(range)
        let sequences = isInFirstPage ? firstPage : try await sequences
        let wanted = sequences[range.clamped(to: sequences.indices)]
        guard !wanted.isEmpty else { return [] }
        let assets = try await library.assets(withSequences: Array(wanted))
        lastRead.withLock { $0 = (wanted.indices, assets) }
        return assets
    }
}
