// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// ``FetchOptions`` for a part of the library, as SQL.
struct AssetQuery: Sendable {
    let options: FetchOptions
    let scope: AssetScope
    private let visibility: Condition
    private let filter: Condition?
    /// The same filter, for which SQLite uses no index of times.
    private let walkedFilter: Condition?
    /// The sort terms. The sequence decides between assets that are equal in all of them.
    private let sorting: [SortTerm]
    /// The index for text searches; `nil` examines every asset.
    private let search: SearchIndex?
    /// Whether assets with equal sort terms are in descending order of ``Asset/sequence``.
    let isBackwards: Bool
    private var limit: Int? { options.fetchLimit }

    private struct SortTerm {
        let expression: String
        let isAscending: Bool
        /// Whether every asset has a value.
        let isNeverMissing: Bool

        init(_ descriptor: AssetSortDescriptor) {
            expression = descriptor.key.expression
            isAscending = descriptor.ascending
            isNeverMissing = descriptor.key.isNeverMissing
        }

        private init(_ expression: String) {
            self.expression = expression
            isAscending = true
            isNeverMissing = true
        }

        static let position = SortTerm("position")
    }

    /// Creates a query of a part of the library. Throws `invalidValue` for a negative limit, and
    /// for a filter with a value of another type than its property.
    init(
        _ options: FetchOptions, in scope: AssetScope = .library, _ search: SearchIndex? = nil
    ) throws(LibraryError) {
        self.search = search
        if let limit = options.fetchLimit, limit < 0 {
            throw LibraryError(.invalidValue, "fetch limit \(limit): allowed: 0 and above")
        }
        self.options = options
        visibility = Self.visibility(options)
        let descriptors = options.sortDescriptors.prefix { $0.key != .sequence }
        let last = options.sortDescriptors.dropFirst(descriptors.count).first ?? descriptors.last
        isBackwards = last.map { !$0.ascending } ?? false
        if case .album = scope, options.sortDescriptors.isEmpty {
            sorting = [.position]
        } else {
            sorting = descriptors.map(SortTerm.init)
        }
        var filters = options.filter?.conjuncts ?? []
        if case .library = scope, sorting.isEmpty, let (index, folded) = Self.keyword(in: filters) {
            // The table of keywords has these in the order of the sequence: no others are read.
            filters.remove(at: index)
            self.scope = .keyword(folded)
        } else {
            self.scope = scope
        }
        filter = try AssetFilter.condition(all: filters)
        walkedFilter = try AssetFilter.condition(all: filters, unindexed: DayBounds.keys)
    }

    private static func keyword(in filters: [AssetFilter]) -> (index: Int, folded: String)? {
        for (index, filter) in filters.enumerated() {
            if case .keyword(let keyword) = filter, !keyword.utf8.contains(0) {
                return (index, TextSearch.folded(keyword))
            }
        }
        return nil
    }

    /// Creates a query of a collection as it is now; `nil` for the whole library.
    /// - Throws: See ``init(_:in:_:)``; `notFound` if the collection does not exist.
    init(
        _ db: Database, _ options: FetchOptions, in collection: AssetCollection.Identifier?,
        _ search: SearchIndex? = nil
    ) throws {
        if let collection {
            let (options, scope) = try collection.resolve(db, options)
            try self.init(options, in: scope, search)
        } else {
            try self.init(options, in: .library, search)
        }
    }

    private static func visibility(_ options: FetchOptions) -> Condition {
        if !options.includesHidden && !options.includesAllBurstMembers
            && !options.includesDeleted
        {
            return Condition("in_view = 1")
        }
        var parts: [Condition] = []
        if !options.includesHidden { parts.append(Condition("hidden = 0")) }
        if !options.includesDeleted { parts.append(Condition("deleted_at IS NULL")) }
        if !options.includesAllBurstMembers {
            parts.append(Condition("burst_id IS NULL OR represents_burst = 1"))
        }
        return parts.isEmpty ? Condition("TRUE") : .joined(parts, "AND")
    }

    // MARK: - Search plans

    /// A plan for a search, as parts of SQL.
    private struct Plan {
        /// The expression for the sequence in comparisons and in the order.
        var sequence: String
        var filter: Condition?
        var bounds: Condition?
    }

    /// Up to this many assets of a filter's days are found by an index and sorted, in 1 or 2 ms.
    private static let fewOfTheirDays = 3000

    /// Returns the plan for a search. SQLite knows neither how many assets match a filter of times
    /// nor where they are; ``DayBounds`` does. The text index names assets that may contain a text.
    private func plan(_ db: Database) throws -> Plan {
        if let candidates = try candidates(db) { return plan(of: candidates) }
        var plan = Plan(sequence: scope.sequence, filter: filter)
        guard case .library = scope, sorting.isEmpty,
            let days = try DayBounds.fetch(db, options.filter)
        else { return plan }
        guard let days else {
            plan.bounds = Condition("FALSE")
            return plan
        }
        if days.count <= Self.fewOfTheirDays, options.filter?.range(of: .createdAt) != nil {
            plan.sequence = "+sequence"
        } else {
            plan.filter = walkedFilter
            plan.bounds = Condition(
                "sequence BETWEEN ? AND ?",
                [
                    days.sequences.lowerBound.databaseValue,
                    days.sequences.upperBound.databaseValue,
                ])
        }
        return plan
    }

    private func plan(of candidates: [Int64]) -> Plan {
        let list = "[" + candidates.map(String.init).joined(separator: ",") + "]"
        return Plan(
            sequence: scope.sequence, filter: filter,
            bounds: Condition(
                "\(scope.sequence) IN (SELECT value FROM json_each(?))", [list.databaseValue]))
    }

    /// Returns the assets that may contain the rarest text of the filter; `nil` for any asset.
    private func candidates(_ db: Database) throws -> [Int64]? {
        guard let search else { return nil }
        var fewest: [Int64]?
        for filter in options.filter?.conjuncts ?? [] {
            guard let (text, column) = filter.searched,
                let found = try search.candidates(db, for: text, in: column)
            else { continue }
            if found.count < fewest?.count ?? .max { fewest = found }
        }
        return fewest
    }

    private func order(_ plan: Plan) -> String {
        let terms = sorting.map { "\($0.expression) \($0.isAscending ? "ASC" : "DESC")" }
        return (terms + ["\(plan.sequence) \(isBackwards ? "DESC" : "ASC")"])
            .joined(separator: ", ")
    }

    private func condition(_ plan: Plan, after cursor: FetchCursor? = nil) -> Condition {
        let cursor = cursor.map { after($0, plan) }
        return .joined(
            [scope.condition, visibility, plan.filter, plan.bounds, cursor].compactMap(\.self),
            "AND")
    }

    // MARK: - Results

    /// Returns the sequences of all results in order: the known `first`, then those up to `newest`.
    func sequences(
        _ db: Database, beginningWith first: [Int64], upTo newest: Int64
    ) throws -> [Int64] {
        let plan = try plan(db)
        let condition = condition(plan)
        // The LIMIT bounds the rows that SQLite keeps when it sorts without an index. The `+` keeps
        // it from using an index for this condition.
        let rows = try Int64.fetchCursor(
            db,
            sql: """
                SELECT sequence FROM asset \(scope.join)
                WHERE (\(condition.sql)) AND +sequence <= ?
                ORDER BY \(order(plan)) LIMIT \(limit ?? -1)
                """, arguments: StatementArguments(condition.arguments + [newest.databaseValue]))
        let isFirst = Set(first)
        var result = first
        while result.count < limit ?? .max, let sequence = try rows.next() {
            if !isFirst.contains(sequence) { result.append(sequence) }
        }
        return result
    }

    /// Returns a page of results, regardless of the fetch limit.
    /// - Throws: `notFound` if the cursor's asset must be read and is gone.
    func rows(_ db: Database, after cursor: FetchCursor?, limit: Int) throws -> [AssetRow] {
        if let rows = try searchedRows(db, after: cursor?.sequence, limit: limit) { return rows }
        let plan = try plan(db)
        let condition = condition(plan, after: try cursor.map { try located($0, db) })
        return try AssetRow.fetch(
            db, "\(scope.join) WHERE \(condition.sql) ORDER BY \(order(plan)) LIMIT ?",
            StatementArguments(condition.arguments + [limit.databaseValue]))
    }

    /// Returns a page of a text search in the order of the sequence; `nil` if the index cannot
    /// tell. It names candidates until the page is full, so a larger library costs no more.
    private func searchedRows(
        _ db: Database, after sequence: Int64?, limit: Int
    ) throws -> [AssetRow]? {
        guard let search, isInOrderOfSequence else { return nil }
        let texts = (options.filter?.conjuncts ?? []).compactMap(\.searched)
        if texts.isEmpty { return nil }
        var rows: [AssetRow] = []
        var last = sequence
        var (count, examined) = (max(2 * limit, 100), 0)
        while rows.count < limit {
            // Few candidates match the other filters, whose indexes may be faster.
            if examined > SearchIndex.mostCandidates { return nil }
            guard
                let candidates = try search.candidates(
                    db, for: texts, after: last, isBackwards: isBackwards, limit: count)
            else { return nil }
            let plan = plan(of: candidates)
            let condition = condition(plan)
            rows += try AssetRow.fetch(
                db, "\(scope.join) WHERE \(condition.sql) ORDER BY \(order(plan)) LIMIT ?",
                StatementArguments(condition.arguments + [(limit - rows.count).databaseValue]))
            if candidates.count < count { break }
            last = candidates.last
            examined += count
            count *= 2
        }
        return rows
    }

    /// Whether the results depend on the assets alone: not on an album, the outbox or a limit.
    var dependsOnAssetsAlone: Bool {
        switch scope {
        case .library, .keyword: limit == nil
        case .album, .outbox: false
        }
    }

    var isInOrderOfSequence: Bool { sorting.isEmpty }

    /// Returns those of these assets that the query finds, in order.
    func assets(_ db: Database, among sequences: [Int64]) throws -> [Asset] {
        let plan = Plan(sequence: scope.sequence, filter: filter)
        let condition = condition(plan)
        let list = "[" + sequences.map(String.init).joined(separator: ",") + "]"
        return try AssetRow.fetch(
            db,
            """
            \(scope.join) WHERE \(plan.sequence) IN (SELECT value FROM json_each(?))
            AND (\(condition.sql)) ORDER BY \(order(plan))
            """, StatementArguments([list.databaseValue] + condition.arguments)
        ).map(\.asset)
    }

    /// Whether an asset that the query finds comes after a cursor.
    func comes(_ db: Database, _ sequence: Int64, after cursor: FetchCursor) throws -> Bool {
        let condition = after(cursor, Plan(sequence: "asset.sequence"))
        return try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM asset WHERE asset.sequence = ? AND (\(condition.sql)))
                    """),
            arguments: StatementArguments([sequence.databaseValue] + condition.arguments)) ?? false
    }

    /// Returns the number of results. Reads all of them.
    func count(_ db: Database) throws -> Int {
        let condition = condition(try plan(db))
        return try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM (
                    SELECT 1 FROM asset \(scope.join) WHERE \(condition.sql) LIMIT \(limit ?? -1))
                """, arguments: StatementArguments(condition.arguments)) ?? 0
    }

    func cursor(_ db: Database, after asset: Asset) throws -> FetchCursor {
        guard case .album(let number) = scope, options.sortDescriptors.isEmpty else {
            return FetchCursor(asset, in: options)
        }
        let position = try Int64.fetchOne(
            db.cachedStatement(
                sql: "SELECT position FROM album_asset WHERE album = ? AND asset = ?"),
            arguments: [number, asset.sequence])
        guard let position else {
            throw LibraryError(.notFound, "asset \(asset.sequence): not in this album")
        }
        return FetchCursor(position: position, sequence: asset.sequence)
    }

    /// Returns the cursor with the values that its asset is sorted by.
    private func located(_ cursor: FetchCursor, _ db: Database) throws -> FetchCursor {
        if cursor.values != nil || sorting.isEmpty { return cursor }
        let row = try AssetRow.fetch(db, "WHERE sequence = ?", [cursor.sequence]).first
        guard let row else {
            throw LibraryError(
                .notFound, "asset \(cursor.sequence): not found, so no page can follow it")
        }
        return try self.cursor(db, after: row.asset)
    }

    // MARK: - Continuing after an asset

    private func after(_ cursor: FetchCursor, _ plan: Plan) -> Condition {
        let last = cursor.sequence.databaseValue
        let sign = isBackwards ? "<" : ">"
        if sorting.isEmpty { return Condition("\(plan.sequence) \(sign) ?", [last]) }
        if sorting.count == 1, sorting[0].isNeverMissing, sorting[0].isAscending != isBackwards,
            let value = cursor.values?.first??.databaseValue
        {
            // Value and sequence have the same direction, so SQLite can scan an index from there.
            return Condition(
                "(\(sorting[0].expression), \(plan.sequence)) \(sign) (?, ?)", [value, last])
        }
        // (a after 1) or (a is 1 and b after 2) or (a is 1 and b is 2 and sequence after 3)
        var alternatives: [Condition] = []
        var equal: [Condition] = []
        for (term, value) in zip(sorting, cursor.values ?? []) {
            alternatives.append(.joined(equal + [Self.after(term, value)], "AND"))
            let value = value?.databaseValue ?? .null
            equal.append(Condition("\(term.expression) IS ?", [value]))
        }
        alternatives.append(
            .joined(equal + [Condition("\(plan.sequence) \(sign) ?", [last])], "AND"))
        return .joined(alternatives, "OR")
    }

    private static func after(_ term: SortTerm, _ value: AssetValue?) -> Condition {
        let expression = term.expression
        switch (term.isAscending, value?.databaseValue) {
        case (true, let value?): return Condition("\(expression) > ?", [value])
        case (true, nil): return Condition("\(expression) IS NOT NULL")
        case (false, let value?):
            return Condition("\(expression) < ? OR \(expression) IS NULL", [value])
        case (false, nil): return Condition("FALSE")
        }
    }
}

extension AssetKey {
    /// Whether every asset has a value.
    fileprivate var isNeverMissing: Bool {
        switch self {
        case .frameSequence, .shutterOffsetMicroseconds, .shutterReference, .deviceName,
            .sessionID, .duration, .latitude, .longitude, .altitude, .deletedAt,
            .purgesAt, .burstID,
            .caption:
            false
        default: true
        }
    }
}
