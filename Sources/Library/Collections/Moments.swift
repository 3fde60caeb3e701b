// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO

/// Finds what was taken on one day with no long time between two photos, by going through the times of
/// all assets in view. An index holds all that is read, and a limit ends it early.
enum Moments {
    /// Nanoseconds without a photo that end a moment.
    static let gap: Int64 = 2 * 3600 * 1_000_000_000

    struct Moment {
        var first: Int64
        var start: WallTime
        var end: WallTime
        var count: Int
    }

    private struct Entry {
        let sequence: Int64
        let time: WallTime

        init(_ row: Row) {
            sequence = row[1]
            time = WallTime(nanoseconds: row[0], utcOffsetSeconds: row[2])
        }

        /// Whether one moment ends and another begins between the two; `self` is the earlier.
        func isApart(from later: Entry) -> Bool {
            let distance = later.time.nanoseconds - time.nanoseconds
            return distance > gap
                || distance > 0 && LibraryLayout.day(of: time) != LibraryLayout.day(of: later.time)
        }
    }

    private static let entries =
        "SELECT created_at, sequence, utc_offset_s FROM asset WHERE in_view = 1"

    /// All of them or, with a limit, so many.
    static func fetch(
        _ db: Database, newestFirst: Bool, limit: Int
    ) throws -> [Moment] {
        let order = newestFirst ? "DESC" : "ASC"
        let rows = try Row.fetchCursor(
            db, sql: "\(entries) ORDER BY created_at \(order), sequence \(order)")
        var moments: [Moment] = []
        var last: Entry?
        while let row = try rows.next() {
            let entry = Entry(row)
            let isApart = last.map {
                newestFirst ? entry.isApart(from: $0) : $0.isApart(from: entry)
            }
            last = entry
            if isApart ?? true {
                if moments.count == limit { break }
                moments.append(
                    Moment(first: entry.sequence, start: entry.time, end: entry.time, count: 0))
            }
            moments[moments.count - 1].count += 1
            if newestFirst {
                moments[moments.count - 1].first = entry.sequence
                moments[moments.count - 1].start = entry.time
            } else {
                moments[moments.count - 1].end = entry.time
            }
        }
        return moments
    }

    /// The one that begins with this asset; `nil` when none does.
    static func moment(_ db: Database, beginningWith first: Int64) throws -> Moment? {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "\(entries) AND sequence = ?"), arguments: [first])
        guard let entry = row.map(Entry.init) else { return nil }
        let before = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    \(entries) AND (created_at, sequence) < (?, ?)
                    ORDER BY created_at DESC, sequence DESC LIMIT 1
                    """), arguments: [entry.time.nanoseconds, first])
        if let before, !Entry(before).isApart(from: entry) { return nil }
        var moment = Moment(first: first, start: entry.time, end: entry.time, count: 0)
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    \(entries) AND (created_at, sequence) >= (?, ?) ORDER BY created_at, sequence
                    """), arguments: [entry.time.nanoseconds, first])
        var last = entry
        while let row = try rows.next() {
            let next = Entry(row)
            if last.isApart(from: next) { break }
            last = next
            moment.end = next.time
            moment.count += 1
        }
        return moment
    }
}
