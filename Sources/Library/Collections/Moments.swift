// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// Moments: assets in view that were taken on one day, with no long time between two of them.
/// Triggers keep them in the table `moment`. An asset joins the one before it, in the order of time
/// and sequence, unless more than ``gap`` or the end of a local day lies between them. Adding or
/// removing an asset changes at most two moments, and reads its two neighbours.
enum Moments {
    /// The time without a photo that ends a moment, in nanoseconds.
    static let gap: Int64 = 2 * 3600 * 1_000_000_000

    struct Moment {
        /// The sequence of the moment's first asset.
        let first: Int64
        let start: WallTime
        let end: WallTime
        let count: Int

        fileprivate init(_ row: Row) {
            first = row[1]
            start = WallTime(nanoseconds: row[0], utcOffsetSeconds: row[2])
            end = WallTime(nanoseconds: row[3], utcOffsetSeconds: row[4])
            count = row[5]
        }
    }

    private static let columns =
        "SELECT start_time, first_sequence, start_offset_s, end_time, end_offset_s, count "
        + "FROM moment"

    /// A moment's place in the order of all moments: its start, in nanoseconds since 1970 (UTC),
    /// and the sequence of its first asset.
    struct Key {
        let time: Int64
        let sequence: Int64
    }

    /// Returns at most `limit` moments in the order of their times, after `last` if it is given.
    static func fetch(
        _ db: Database, newestFirst: Bool, after last: Key? = nil, limit: Int
    ) throws -> [Moment] {
        let (order, sign) = newestFirst ? ("DESC", "<") : ("ASC", ">")
        let condition = last == nil ? "" : "WHERE (start_time, first_sequence) \(sign) (?, ?)"
        let key = last.map { [$0.time, $0.sequence] } ?? []
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    \(columns) \(condition) ORDER BY start_time \(order),
                        first_sequence \(order) LIMIT ?
                    """), arguments: StatementArguments(key + [Int64(limit)]))
        return try Array(rows.map(Moment.init))
    }

    /// Returns the moment that begins with this asset; `nil` if none does.
    static func moment(_ db: Database, beginningWith first: Int64) throws -> Moment? {
        try Row.fetchOne(
            db.cachedStatement(sql: "\(columns) WHERE first_sequence = ?"), arguments: [first]
        ).map(Moment.init)
    }
}
