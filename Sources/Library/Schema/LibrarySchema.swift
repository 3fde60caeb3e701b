// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import Store

/// The library's tables. Later migrations only add columns with defaults, tables, indexes and
/// triggers, so that the previous program can still open the file. A released migration never
/// changes.
enum LibrarySchema {
    /// The application id is "VTRN" in ASCII.
    static let current = DurableDatabase.Schema(
        applicationID: 0x5654_524E, version: 1, migrator: migrator,
        functions: [TextSearch.contains])

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            for tables in [history, assets, counts, collections] { try db.execute(sql: tables) }
            try setStatistics(db)
        }
        migrator.registerMigration("sync") { db in try db.execute(sql: sync) }
        migrator.registerMigration("syncService") { db in try db.execute(sql: syncService) }
        migrator.registerMigration("syncRenditions") { db in try db.execute(sql: syncRenditions) }
        return migrator
    }

    /// Each index with its statistics in a library of a million assets: its rows, then the rows for
    /// one value of each column prefix. The planner cannot know them while the table is empty, and
    /// would then scan all assets in view to find those of a session.
    private static let indexes = [
        ("asset_view", "1000000 900000 1 1 1 1 1 1 1"),
        ("asset_view_time", "1000000 900000 2 1 1 1 1 1 1"),
        ("asset_view_bytes", "1000000 900000 2 1 1 1 1 1"), ("asset_time", "1000000 2"),
        ("asset_content", "1000000 1"), ("asset_session", "1000000 20"),
        ("asset_session_time", "1000000 20 20 1 1 1 1 1 1 1"), ("asset_burst", "50000 10"),
        ("asset_favorite", "20000 20000"), ("asset_hidden", "20000 20000"),
        ("asset_deleted", "20000 2"), ("asset_video", "50000 50000"),
        ("asset_captioned", "20000 1"),
    ]

    private static func setStatistics(_ db: Database) throws {
        // Creates sqlite_stat1.
        try db.execute(sql: "ANALYZE sqlite_schema")
        for (index, rows) in indexes {
            try db.execute(
                sql: "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('asset', ?, ?)",
                arguments: [index, rows])
        }
        // Loads the statistics.
        try db.execute(sql: "ANALYZE sqlite_schema")
    }
}
