// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// What is in an album, in its order: the table album_asset.
///
/// Positions are far apart. What is appended, put in between or taken away leaves all others where they are:
/// it costs what it changes, and whoever reads page by page goes on from the position where a page ended.
struct AlbumOrder {
    let db: Database
    /// The album's number.
    let album: Int64

    /// From one position to the next where nothing else is wanted: room for 32 halvings, and for as many
    /// assets at either end as 32 bits count.
    private static let step: Int64 = 1 << 32

    /// Puts assets next to each other, in this order, at this place or at the end. Those that are in it already
    /// stay where they are. Answers whether any is new.
    func insert(_ assets: [Int64], at place: Int?) throws -> Bool {
        var seen = Set<Int64>()
        let new = try assets.filter { try seen.insert($0).inserted && !contains($0) }
        guard !new.isEmpty else { return false }
        let positions = try positions(of: new.count, at: place)
        let statement = try db.cachedStatement(
            sql: "INSERT INTO album_asset (album, asset, position) VALUES (?, ?, ?)")
        for (asset, position) in zip(new, positions) {
            try statement.execute(arguments: [album, asset, position])
        }
        return true
    }

    /// Takes assets out. Answers whether any was in it.
    func remove(_ assets: [Int64]) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "DELETE FROM album_asset WHERE album = ? AND asset = ?")
        var isChanged = false
        for asset in assets {
            try statement.execute(arguments: [album, asset])
            isChanged = isChanged || db.changesCount > 0
        }
        return isChanged
    }

    /// Puts assets that are in it next to each other, in this order, at this place among all others. Answers whether
    /// any is elsewhere now; `nil` when one is not in it.
    func move(_ assets: [Int64], to place: Int) throws -> Bool? {
        var seen = Set<Int64>()
        let moving = assets.filter { seen.insert($0).inserted }
        guard try moving.allSatisfy(contains) else { return nil }
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM album_asset WHERE album = ?"),
            arguments: [album])
        let place = min(max(place, 0), (count ?? 0) - moving.count)
        let there = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT asset FROM album_asset WHERE album = ?
                    ORDER BY position, asset LIMIT ? OFFSET ?
                    """), arguments: [album, moving.count, place])
        guard there != moving else { return false }
        return try remove(moving) && insert(moving, at: place)
    }

    private func contains(_ asset: Int64) throws -> Bool {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM album_asset WHERE album = ? AND asset = ?"),
            arguments: [album, asset]) != nil
    }

    // MARK: - Positions

    /// So many, between those of what will be before and behind.
    private func positions(of count: Int, at place: Int?) throws -> [Int64] {
        while true {
            let (before, after) = try neighbours(of: place)
            let distance: Int64
            let start: Int64
            switch (before, after) {
            case (let before?, let after?):
                distance = (after - before) / Int64(count + 1)
                start = before
            case (nil, let after?):
                distance = Self.step
                start = after - Self.step * Int64(count + 1)
            case (let before, nil):
                distance = Self.step
                start = before ?? 0
            }
            if distance > 0 { return (1...Int64(count)).map { start + $0 * distance } }
            try spread()
        }
    }

    /// The positions between which something comes that is put at this place.
    private func neighbours(of place: Int?) throws -> (before: Int64?, after: Int64?) {
        if let place {
            let positions = try Int64.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT position FROM album_asset WHERE album = ?
                        ORDER BY position, asset LIMIT ? OFFSET ?
                        """), arguments: [album, place > 0 ? 2 : 1, max(place - 1, 0)])
            if place <= 0 { return (nil, positions.first) }
            if let before = positions.first { return (before, positions.dropFirst().first) }
        }
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT max(position) FROM album_asset WHERE album = ?"),
            arguments: [album])
        return (last, nil)
    }

    /// Makes room between all.
    private func spread() throws {
        try db.cachedStatement(
            sql: """
                UPDATE album_asset SET position = ranked.rank * \(Self.step)
                FROM (SELECT asset, row_number() OVER (ORDER BY position, asset) AS rank
                    FROM album_asset WHERE album = ?1) AS ranked
                WHERE album = ?1 AND album_asset.asset = ranked.asset
                """
        ).execute(arguments: [album])
    }
}
