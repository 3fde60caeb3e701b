// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import Synchronization

/// The assets that a query found at one moment, in order. The sequences beyond the first page are
/// read in the background, 8 bytes each.
final class FoundAssets: FoundObjects {
    private static let firstPageSize = FetchResult<Asset>.pageSize

    private let library: AssetLibrary
    private let query: AssetQuery
    /// The moment of the first page, or a later one with the same result.
    private let token: Mutex<ChangeToken>
    private let firstPage: [Int64]
    /// All sequences; `nil` if the first page is all.
    private let rest: ReadBehind<SequenceList>?

    /// Reads the first page. Throws `closed`, `io`.
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

    /// Reads all sequences a moment after the first page. Each asset occurs once: those of the
    /// first page keep their places, new ones are left out, changed ones have their new places.
    private static func readAll(
        of query: AssetQuery, behind firstPage: [Int64], upTo newest: Int64,
        _ library: AssetLibrary
    ) -> ReadBehind<SequenceList> {
        ReadBehind {
            try await library.reading { db in
                SequenceList(try query.sequences(db, beginningWith: firstPage, upTo: newest))
            }
        }
    }

    private var sequences: SequenceList {
        get async throws(LibraryError) { try await rest?.value ?? SequenceList(firstPage) }
    }

    private init(
        _ library: AssetLibrary, _ query: AssetQuery, _ sequences: SequenceList,
        at token: ChangeToken
    ) {
        self.library = library
        self.query = query
        self.token = Mutex(token)
        firstPage = sequences[0..<min(sequences.count, Self.firstPageSize)]
        rest = sequences.count > Self.firstPageSize ? ReadBehind(sequences) : nil
    }

    func changes() async throws(LibraryError) -> FetchResultChanges<Asset>? {
        let since = token.withLock(\.self)
        if try await library.changes(since: since).isEmpty { return nil }
        let before = try await sequences
        let query = query
        let news = try await library.reading { db in
            let history = try AssetLibrary.history(db, since: since, from: nil)
            return (history, try query.update(db, before, touched: history.touched))
        }
        var (history, update) = news
        let changes: FetchResultChanges<Asset>?
        let now: FoundAssets
        if let update {
            now = FoundAssets(library, query, update.sequences, at: history.token)
            let updated = Set(history.updated)
            changes =
                query.isInOrderOfSequence
                ? FetchResultChanges(
                    FetchResult(now), before: before, update, isChanged: updated.contains)
                : FetchResultChanges(
                    FetchResult(now), before: before.elements, after: update.sequences.elements,
                    mayDiffer: Set(history.touched).contains, candidates: update.entered,
                    isChanged: updated.contains)
        } else {
            now = try await FoundAssets(library, query)
            let after = try await now.sequences
            // Read after the result, so that it has all changes that may have affected it.
            history = try await library.changes(since: since)
            changes = FetchResultChanges(
                FetchResult(now), before: before.elements, after: after.elements,
                mayDiffer: Set(history.touched).contains, isChanged: Set(history.updated).contains)
        }
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
        let sequences = isInFirstPage ? SequenceList(firstPage) : try await sequences
        let wanted = sequences[range.clamped(to: 0..<sequences.count)]
        return wanted.isEmpty ? [] : try await library.assets(withSequences: wanted)
    }
}

extension FetchResultChanges<Asset> {
    /// Creates the changes of a result in the order of the sequence, in which no asset moves; `nil`
    /// if there are none.
    /// - Parameter isChanged: Whether an asset in both results has changed.
    fileprivate init?(
        _ result: FetchResult<Asset>, before: SequenceList, _ update: AssetQuery.Update,
        isChanged: (Int64) -> Bool
    ) {
        let after = update.sequences
        let former = Set(update.left.map { before[$0] })
        let present = Set(update.entered.map { after[$0] })
        self.init(
            result,
            removed: RangeSet(
                update.left.filter { !present.contains(before[$0]) }, within: 0..<before.count),
            inserted: RangeSet(
                update.entered.filter { !former.contains(after[$0]) }, within: 0..<after.count),
            changed: RangeSet(
                update.entered.filter { former.contains(after[$0]) && isChanged(after[$0]) },
                within: 0..<after.count))
    }
}

extension ChangeHistory {
    /// All assets that the history names.
    fileprivate var touched: [Int64] { inserted + updated + deleted }
}
