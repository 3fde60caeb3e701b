// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO

struct CollectionRow {
    let number: Int64
    let id: AssetCollection.Identifier
    let folder: Int64?
    let title: String
    let count: Int

    private init(_ row: Row) throws {
        number = row[0]
        let text: String = row[1]
        let isAlbum = row[2] == "album"
        guard let uuid = UUID(uuidString: text) else {
            throw LibraryError(.damaged, "collection \(number): its row holds no valid id")
        }
        id = isAlbum ? .album(uuid) : .folder(uuid)
        folder = row[3]
        title = row[4]
        count = row[5]
    }

    /// Returns the row of an album or folder; throws `notFound` if there is none.
    static func fetch(_ db: Database, _ id: AssetCollection.Identifier) throws -> CollectionRow {
        if let uuid = id.uuid, let row = try fetch(db, "id = ?", [uuid.text]).first, row.id == id {
            return row
        }
        throw LibraryError(.notFound, "\(id.text): no such album or folder")
    }

    /// Returns rows in a person's order.
    static func fetch(
        _ db: Database, _ condition: String, _ arguments: StatementArguments = []
    ) throws -> [CollectionRow] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT number, id, type, folder, title, CASE type WHEN 'album' THEN count ELSE
                        (SELECT count(*) FROM collection AS content
                            WHERE content.folder = collection.number) END
                    FROM collection WHERE \(condition) ORDER BY position, number
                    """), arguments: arguments
        ).map(CollectionRow.init)
    }
}

extension CollectionFetchOptions {
    /// Fetches the collections that match now, moments and sessions only from after `last`. `page`
    /// limits their number like the fetch limit.
    func collections(
        _ db: Database, after last: AssetCollection? = nil, page: Int? = nil
    ) throws -> [AssetCollection] {
        if let fetchLimit, fetchLimit < 0 {
            throw LibraryError(
                .invalidValue, "fetch limit \(fetchLimit): allowed: 0 and above")
        }
        let limit = min(fetchLimit ?? .max, page ?? .max)
        let found =
            switch kind {
            case .albums: try albums(db)
            case .smartAlbums: try SmartAlbum.allCases.map { try $0.collection(db) }
            case .moments: try moments(db, after: last, limit)
            case .sessions: try sessions(db, after: last, limit)
            }
        return Array(found.filter { includesEmpty || $0.estimatedCount > 0 }.prefix(limit))
    }

    private func moments(
        _ db: Database, after last: AssetCollection?, _ limit: Int
    ) throws -> [AssetCollection] {
        var key: Moments.Key?
        if case .moment(let first) = last?.id, let start = last?.startDate {
            key = Moments.Key(time: start.nanoseconds, sequence: first)
        }
        return try Moments.fetch(db, newestFirst: newestFirst, after: key, limit: limit)
            .map(AssetCollection.init)
    }

    private func albums(_ db: Database) throws -> [AssetCollection] {
        switch folder {
        case .any: return try Self.tree(db, below: nil)
        case .top:
            return try CollectionRow.fetch(db, "folder IS NULL").map {
                AssetCollection($0, in: nil)
            }
        case .folder(let id):
            guard case .folder = id else {
                throw LibraryError(.invalidValue, "\(id.text): not a folder")
            }
            let number = try CollectionRow.fetch(db, id).number
            return try CollectionRow.fetch(db, "folder = ?", [number]).map {
                AssetCollection($0, in: id)
            }
        }
    }

    /// Returns all folders and albums; each folder is followed by its content.
    private static func tree(_ db: Database, below folder: CollectionRow?) throws
        -> [AssetCollection]
    {
        let rows = try CollectionRow.fetch(db, "folder IS ?", [folder?.number])
        var found: [AssetCollection] = []
        for row in rows {
            found.append(AssetCollection(row, in: folder?.id))
            if case .folder = row.id { found += try tree(db, below: row) }
        }
        return found
    }

    private func sessions(
        _ db: Database, after last: AssetCollection?, _ limit: Int
    ) throws -> [AssetCollection] {
        var conditions = [Condition(includesEmpty ? "TRUE" : "count > 0")]
        if case .session(let id) = last?.id {
            conditions.append(
                Condition(
                    "first_sequence \(newestFirst ? "<" : ">") "
                        + "(SELECT first_sequence FROM session WHERE id = ?)",
                    [id.databaseValue]))
        }
        let condition = Condition.joined(conditions, "AND")
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT id, count, start_time, start_offset_s, end_time, end_offset_s
                        FROM session
                    WHERE \(condition.sql)
                        ORDER BY first_sequence \(newestFirst ? "DESC" : "ASC") LIMIT ?
                    """),
            arguments: StatementArguments(condition.arguments + [limit.databaseValue]))
        return try Array(rows.map(AssetCollection.init(session:)))
    }
}

extension AssetCollection {
    fileprivate init(
        id: Identifier, title: String, in folder: Identifier? = nil, count: Int, _ span: Span?
    ) {
        self.init(
            id: id, title: title, folder: folder, estimatedCount: count, startDate: span?.start,
            endDate: span?.end)
    }

    fileprivate init(_ row: CollectionRow, in folder: Identifier?) {
        self.init(id: row.id, title: row.title, in: folder, count: row.count, nil)
    }

    fileprivate init(_ moment: Moments.Moment) {
        let start = String(describing: moment.start)
        let end = String(describing: moment.end)
        // For example: 2026-11-23 14:05–15:30
        let title =
            "\(start.prefix(10)) \(start.dropFirst(11).prefix(5))–\(end.dropFirst(11).prefix(5))"
        self.init(
            id: .moment(first: moment.first), title: title, count: moment.count,
            Span(start: moment.start, end: moment.end))
    }

    fileprivate init(session row: Row) {
        let id: String = row[0]
        self.init(id: .session(id), title: id, count: row[1], Span(row))
    }
}

extension SmartAlbum {
    /// Returns the size of a set whose count the database keeps.
    static func count(_ db: Database, _ name: String) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count FROM view_counter WHERE name = ?"),
            arguments: [name]) ?? 0
    }

    fileprivate func collection(_ db: Database) throws -> AssetCollection {
        let count =
            if let counter {
                try Self.count(db, counter)
            } else if self == .notYetSynced {
                // An estimate: it includes assets out of view.
                try Self.count(db, rawValue)
            } else {
                try AssetQuery(db, FetchOptions(), in: .smartAlbum(self)).count(db)
            }
        return AssetCollection(id: .smartAlbum(self), title: title, count: count, nil)
    }
}

/// The times of the first and the last asset in view of a collection.
private struct Span {
    let start: WallTime
    let end: WallTime

    init(start: WallTime, end: WallTime) {
        self.start = start
        self.end = end
    }

    /// Creates a span from columns 2 to 5 of a session's row; `nil` if no asset is in view.
    init?(_ row: Row) {
        guard let start = row[2] as Int64?, let end = row[4] as Int64? else { return nil }
        self.init(
            start: WallTime(nanoseconds: start, utcOffsetSeconds: row[3]),
            end: WallTime(nanoseconds: end, utcOffsetSeconds: row[5]))
    }
}
