// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// The place and number of the assets of some days. Triggers keep them in the table asset_day.
struct DayBounds {
    /// A range that contains the sequences of the assets.
    let sequences: ClosedRange<Int64>
    /// The number of the assets, whether in view or not.
    let count: Int

    /// The times for which the table is kept.
    static let keys = [AssetKey.createdAt, .addedAt]

    private static let nanosecondsPerDay = 86_400_000_000_000

    /// Returns the bounds of the assets that a filter's times allow; `nil` if it requires no time,
    /// `.some(nil)` if there are no assets of those days.
    static func fetch(_ db: Database, _ filter: AssetFilter?) throws -> DayBounds?? {
        var narrowest: DayBounds??
        for key in keys {
            guard let (lower, upper) = filter?.range(of: key) else { continue }
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT min(first_sequence), max(last_sequence), sum(count) FROM asset_day
                        WHERE property = ? AND count > 0
                            AND day BETWEEN ? / \(nanosecondsPerDay) AND ? / \(nanosecondsPerDay)
                        """), arguments: [key.rawValue, lower, upper])
            guard let row, let first = row[0] as Int64?, let last = row[1] as Int64? else {
                return .some(nil)
            }
            let bounds = DayBounds(sequences: first...max(first, last), count: row[2])
            if case .some(.some(let known)) = narrowest, known.count <= bounds.count { continue }
            narrowest = .some(bounds)
        }
        return narrowest
    }

    /// SQL for the table and its triggers. Released migrations use it, so it never changes.
    static func keeping(_ key: AssetKey) -> String {
        let name = key.rawValue
        func day(_ row: String) -> String {
            let time =
                key == .createdAt
                ? "\(row).created_at" : "coalesce(\(row).added_at, \(row).created_at)"
            return "\(time) / \(nanosecondsPerDay)"
        }
        let add = """
            INSERT INTO asset_day VALUES ('\(name)', \(day("new")), new.sequence, new.sequence, 1)
            ON CONFLICT (property, day) DO UPDATE SET count = count + 1,
                first_sequence = min(first_sequence, new.sequence),
                last_sequence = max(last_sequence, new.sequence);
            """
        let take = """
            UPDATE asset_day SET count = count - 1
            WHERE property = '\(name)' AND day = \(day("old"));
            """
        return """
            \(filling(key))
            CREATE TRIGGER \(name)_day_counted AFTER INSERT ON asset BEGIN \(add) END;
            CREATE TRIGGER \(name)_day_uncounted AFTER DELETE ON asset BEGIN \(take) END;
            CREATE TRIGGER \(name)_day_recounted AFTER UPDATE OF created_at, added_at ON asset
                WHEN \(day("old")) <> \(day("new")) BEGIN \(take) \(add) END;
            """
    }

    private static func filling(_ key: AssetKey) -> String {
        "INSERT INTO asset_day \(counted(key));"
    }

    private static func counted(_ key: AssetKey) -> String {
        """
        SELECT '\(key.rawValue)' AS property, \(key.expression) / \(nanosecondsPerDay) AS day,
            min(sequence) AS first_sequence, max(sequence) AS last_sequence, count(*) AS count
        FROM asset GROUP BY day
        """
    }

    /// Compares the table with a count of all assets. The kept bounds may be wider than necessary.
    static let kept = CountCheck(
        name: "counts of days",
        kept: """
            SELECT property, day, count, 1, 1 FROM asset_day WHERE count > 0 ORDER BY property, day
            """,
        counted: """
            SELECT found.property, found.day, found.count,
                coalesce(kept.first_sequence <= found.first_sequence, 0),
                coalesce(kept.last_sequence >= found.last_sequence, 0)
            FROM (\(keys.map(counted).joined(separator: " UNION ALL "))) AS found
            LEFT JOIN asset_day AS kept USING (property, day) ORDER BY found.property, found.day
            """,
        mend: "DELETE FROM asset_day; \(keys.map(filling).joined(separator: " "))")
}

extension AssetFilter {
    /// The filters that must all match.
    var conjuncts: [AssetFilter] {
        if case .all(let filters) = self { filters.flatMap(\.conjuncts) } else { [self] }
    }

    /// Returns the bounds of a property's value; `nil` if it can have any.
    func range(of key: AssetKey) -> (lower: Int64, upper: Int64)? {
        var (lower, upper) = (Int64.min, Int64.max)
        for case .comparison(key, let comparison, .integer(let value)?) in conjuncts {
            switch comparison {
            case .equal: (lower, upper) = (max(lower, value), min(upper, value))
            case .less, .lessOrEqual: upper = min(upper, value)
            case .greater, .greaterOrEqual: lower = max(lower, value)
            case .contains: break
            }
        }
        return lower == .min && upper == .max ? nil : (lower, upper)
    }
}
