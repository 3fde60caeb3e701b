// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// The assets of an album and their order, in the table album_asset. Positions are far apart, so
/// that a change leaves those of other assets as they are. It costs what it changes, and a reader
/// of pages continues from the position where its last page ended.
struct AlbumOrder {
    let db: Database
    /// The album's row number.
    let album: Int64

    /// The usual distance between positions: room for 32 halvings, and 2³¹ assets at either end.
    private static let step: Int64 = 1 << 32

    /// Inserts assets next to each other, in this order, at an index or the end. Those already in
    /// the album stay where they are. Returns whether any is new.
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

    /// Removes assets. Returns whether any of them was in the album.
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

    /// Moves assets next to each other, in this order, to an index among all others. Returns
    /// whether the order has changed; `nil` if one is not in the album.
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

    /// Returns the positions of the assets on both sides of an index.
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

    /// Numbers the whole album anew, with the usual distance.
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
