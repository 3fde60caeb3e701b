// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// The assets that a policy removes at one moment, in the order of its reasons.
struct RetentionPlan {
    static let nanosecondsPerDay: Int64 = 86_400_000_000_000

    let policy: RetentionPolicy
    /// Nanoseconds since 1970; `nil` while the clock is not known to be right.
    let now: Int64?
    let freeBytes: Int64

    /// An asset to remove, without the values that can be read again.
    struct Due: Sendable {
        let sequence: Int64
        let reason: RetentionReason
        let query: RetentionQuery
    }

    // MARK: - Purge dates

    /// The purge date of an asset deleted now; `nil` if the policy has none or `now` is unknown.
    private var purgeTime: Int64? {
        guard let now, let days = policy.deletedDays else { return nil }
        return now + Int64(days) * Self.nanosecondsPerDay
    }

    private static let isUndated =
        "deleted_at IS NOT NULL AND (purge_at IS NULL OR purge_at > ?1)"

    /// Returns deleted assets with no purge date, or a later one than the policy gives now.
    func undated(_ db: Database) throws -> [Int64] {
        guard let purgeTime else { return [] }
        return try Int64.fetchAll(
            db, sql: "SELECT sequence FROM asset WHERE \(Self.isUndated)", arguments: [purgeTime])
    }

    /// Sets a purge date, counted from now, for those assets that are still undated.
    func date(
        _ undated: some Sequence<Int64>, _ transaction: inout ChangeTransaction
    ) throws {
        guard let purgeTime else { return }
        for sequence in undated
        where try transaction.execute(
            """
            UPDATE asset SET purge_at = ?1, modified_at = ?2
            WHERE sequence = ?3 AND \(Self.isUndated)
            """, [purgeTime, transaction.now, sequence])
        {
            try transaction.log(.updated, asset: sequence)
        }
    }

    // MARK: - Assets to remove

    /// Calls `body` for each asset to remove. Returns how many would be, too, if the remote had
    /// them.
    @discardableResult
    func forEach(
        _ db: Database, _ body: (RetentionReport.Item, RetentionQuery) -> Void
    ) throws -> Int {
        var taken = Set<Int64>()
        var undeleted = 0
        var waiting = 0
        var freed: Int64 = 0
        for reason in RetentionReason.allCases {
            let isEviction = isEviction(reason)
            for rule in try rules(reason, db, gone: undeleted) {
                let rows = try Row.fetchCursor(
                    db,
                    sql: """
                        SELECT \(isEviction ? rule.query.sourceAtRemote : rule.query.source)
                        """, arguments: arguments(rule, isEviction))
                var found = 0
                while found < rule.most, reason != .space || isShort(freed),
                    let row = try rows.next()
                {
                    let item = RetentionReport.Item(row, reason, isEviction: isEviction)
                    guard taken.insert(item.sequence).inserted else { continue }
                    found += 1
                    freed += item.bytes
                    if reason != .deleted { undeleted += 1 }
                    if isEviction, !(row[4] as Bool) {
                        waiting += 1
                        // Another one makes room now.
                        if reason == .space { freed -= item.bytes }
                    } else {
                        body(item, rule.query)
                    }
                }
            }
        }
        return waiting
    }

    /// Returns all assets to remove, in 16 bytes each.
    func due(_ db: Database) throws -> [Due] {
        var due: [Due] = []
        try forEach(db) { item, query in
            due.append(Due(sequence: item.sequence, reason: item.reason, query: query))
        }
        return due
    }

    /// Whether an asset that goes for this reason stays, and only its original goes.
    func isEviction(_ reason: RetentionReason) -> Bool {
        policy.requiresSync && reason != .deleted
    }

    private func arguments(
        _ rule: Rule, _ isEviction: Bool, _ more: DatabaseValue...
    ) -> StatementArguments {
        let remote = isEviction ? [(policy.remote?.name).databaseValue] : []
        return StatementArguments(remote + rule.arguments + more)
    }

    /// Returns an asset to remove if its query still finds it; `nil` otherwise. An asset found as
    /// deleted and since restored is thus not removed as an old one.
    /// - Parameter freed: Removed bytes that the file system does not report as free yet.
    func item(_ db: Database, _ due: Due, freed: Int64) throws -> RetentionReport.Item? {
        guard due.reason != .space || isShort(freed),
            let rule = try rules(due.reason, db, gone: 0).first(where: { $0.query == due.query }),
            rule.most > 0
        else { return nil }
        let isEviction = isEviction(due.reason)
        let columns = isEviction ? RetentionQuery.columnsAtRemote : RetentionQuery.columns
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM asset WHERE \(rule.query.condition)
                        AND (NOT \(isEviction) OR \(RetentionQuery.isHere)) AND sequence = ?
                    """),
            arguments: arguments(rule, isEviction, due.sequence.databaseValue))
        guard let row, !isEviction || row[4] as Bool else { return nil }
        return RetentionReport.Item(row, due.reason, isEviction: isEviction)
    }

    private func isShort(_ freed: Int64) -> Bool {
        freeBytes < (policy.leastFreeBytes ?? 0) - freed
    }

    private struct Rule {
        let query: RetentionQuery
        var arguments: [DatabaseValue] = []
        var most = Int.max
    }

    /// Returns a reason's rules; none without such a limit, or without `now` if it is needed.
    /// - Parameter gone: The number of assets, besides deleted ones, already to be removed.
    private func rules(_ reason: RetentionReason, _ db: Database, gone: Int) throws -> [Rule] {
        switch reason {
        case .deleted:
            guard let now, policy.deletedDays != nil else { return [] }
            return [Rule(query: .overdue, arguments: [now.databaseValue])]
        case .age:
            guard let now, let days = policy.mostDays else { return [] }
            let before = now - Int64(days) * Self.nanosecondsPerDay
            return [Rule(query: .old, arguments: [before.databaseValue])]
        case .count:
            guard let most = policy.mostAssets else { return [] }
            let all = try SmartAlbum.count(db, CountedView.expendable.name)
            let elsewhere = isEviction(reason) ? try countOfEvicted(db) : 0
            return [Rule(query: .expendable, most: all - elsewhere - most - gone)]
        case .space:
            if policy.leastFreeBytes == nil { return [] }
            // Deleted assets are removed first, even before their days are over.
            return [Rule(query: .deleted), Rule(query: .expendable)]
        }
    }

    /// Returns how many assets that may go by count and space have their original only at a remote.
    private func countOfEvicted(_ db: Database) throws -> Int {
        try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM evicted_original JOIN asset ON sequence = asset
                WHERE \(RetentionQuery.expendable.condition)
                """) ?? 0
    }
}

extension RetentionReport.Item {
    fileprivate init(_ row: Row, _ reason: RetentionReason, isEviction: Bool) {
        self.init(
            id: row[1], sequence: row[0], fileName: row[2], bytes: row[3], reason: reason,
            isEviction: isEviction)
    }
}
