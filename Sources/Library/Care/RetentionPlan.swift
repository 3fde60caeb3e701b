// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// What goes next by a policy, in the order of its reasons, as things are now.
struct RetentionPlan {
    static let nanosecondsPerDay: Int64 = 86_400_000_000_000

    let policy: RetentionPolicy
    /// Nanoseconds since 1970; `nil` while the clock is not known to be right.
    let now: Int64?
    var freeBytes: Int64

    /// What the rules take that are not about what was deleted. Of what was recovered nobody knows any more
    /// whether it was a favourite.
    private static let ordinary = "deleted_at IS NULL AND favorite = 0 AND recovered = 0"

    /// Counts days from now on for what was deleted and has no date to go yet, and brings dates forward
    /// that a shorter time has made too late.
    func stamp(_ db: Database) throws {
        guard let now, let days = policy.deletedDays else { return }
        try db.execute(
            sql: """
                UPDATE asset SET purge_at = ?1
                WHERE deleted_at IS NOT NULL AND (purge_at IS NULL OR purge_at > ?1)
                """, arguments: [now + Int64(days) * Self.nanosecondsPerDay])
    }

    /// The next `limit` that go, told one by one.
    func next(_ db: Database, limit: Int, _ body: (RetentionReport.Item) -> Void) throws {
        try go(db, limit: limit, policy.requiresSync ? [.deleted] : RetentionReason.allCases, body)
    }

    /// How many would go if a remote had them. Goes through all of them.
    func countOfWaiting(_ db: Database) throws -> Int {
        var count = 0
        if policy.requiresSync {
            try go(db, limit: .max, [.age, .count, .space]) { _ in count += 1 }
        }
        return count
    }

    private func go(
        _ db: Database, limit: Int, _ reasons: [RetentionReason],
        _ body: (RetentionReport.Item) -> Void
    ) throws {
        var taken = Set<Int64>()
        var undeleted = 0
        var freed: Int64 = 0
        for reason in reasons {
            guard let rule = try rule(reason, db, undeleted) else { continue }
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT sequence, id, file_name, bytes FROM asset WHERE \(rule.condition.sql)
                    ORDER BY deleted_at IS NULL, sequence
                    """, arguments: StatementArguments(rule.condition.arguments))
            var found = 0
            while taken.count < limit, found < rule.most,
                reason != .space || freeBytes < (policy.leastFreeBytes ?? 0) - freed,
                let row = try rows.next()
            {
                let item = RetentionReport.Item(
                    id: row[1], sequence: row[0], fileName: row[2], bytes: row[3], reason: reason)
                guard taken.insert(item.sequence).inserted else { continue }
                found += 1
                freed += item.bytes
                if reason != .deleted { undeleted += 1 }
                body(item)
            }
        }
    }

    /// What a reason is about, and how many go by it; `nil` where the policy has no such rule, or the clock
    /// is not known to be right.
    ///
    /// - Parameter gone: How many that were not deleted go already.
    private func rule(
        _ reason: RetentionReason, _ db: Database, _ gone: Int
    ) throws -> (condition: Condition, most: Int)? {
        switch reason {
        case .deleted:
            guard let now, policy.deletedDays != nil else { return nil }
            return (
                Condition("deleted_at IS NOT NULL AND purge_at <= ?", [now.databaseValue]), .max
            )
        case .age:
            guard let now, let days = policy.mostDays else { return nil }
            // A clock that nobody has compared may be years off.
            let before = now - Int64(days) * Self.nanosecondsPerDay
            return (
                Condition(
                    """
                    \(Self.ordinary) AND time_confidence IN ('synchronized', 'corrected')
                        AND created_at < ?
                    """,
                    [before.databaseValue]), .max
            )
        case .count:
            guard let most = policy.mostAssets else { return nil }
            let all = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM asset WHERE \(Self.ordinary)")
            return (Condition(Self.ordinary), (all ?? 0) - most - gone)
        case .space:
            // What was deleted goes first, its days or not.
            return policy.leastFreeBytes.map { _ in
                (Condition("deleted_at IS NOT NULL OR \(Self.ordinary)"), .max)
            }
        }
    }
}
