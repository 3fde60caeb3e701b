// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import Store

/// The library's tables. Migrations are additive: they add columns with defaults, tables, indexes and
/// triggers, so that the previous program can still open the file. Released ones never change.
enum LibrarySchema {
    /// "VTRN"
    static let current = DurableDatabase.Schema(
        applicationID: 0x5654_524E, version: 1, migrator: migrator,
        functions: [TextSearch.contains])

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: v1) }
        migrator.registerMigration("v2") { db in try db.execute(sql: v2) }
        migrator.registerMigration("v3") { db in
            try db.execute(sql: v3)
            for view in CountedView.ofV3 { try db.execute(sql: view.keeping) }
            try setStatistics(ofIndexes: indexesOfV3, db)
        }
        migrator.registerMigration("v4") { db in
            try db.execute(sql: v4)
            for view in CountedView.ofV4 { try db.execute(sql: view.keeping) }
            for key in DayBounds.keys { try db.execute(sql: DayBounds.keeping(key)) }
            try setStatistics(ofIndexes: indexesOfV4, db)
        }
        migrator.registerMigration("v5") { db in try db.execute(sql: v5) }
        migrator.registerMigration("v6") { db in try db.execute(sql: v6) }
        migrator.registerMigration("v7") { db in try db.execute(sql: v7) }
        migrator.registerMigration("v8") { db in try db.execute(sql: v8) }
        migrator.registerMigration("v9") { db in
            try db.execute(sql: v9)
            try setStatistics(ofIndexes: indexesOfV9, db)
        }
        return migrator
    }

    /// Rows that a library of a million assets has in an index, then for one value of its columns: how
    /// selective it is, which the planner cannot know of an empty table. Without these it would go through
    /// all that is in view to find a session's.
    private typealias IndexStatistics = [(index: String, rows: String)]

    private static let indexesOfV3: IndexStatistics = [
        ("asset_view", "1000000 900000"), ("asset_view_time", "1000000 900000 1"),
        ("asset_content", "1000000 1"), ("asset_session", "1000000 20"),
        ("asset_burst", "50000 10"), ("asset_favorite", "20000 20000"),
        ("asset_hidden", "20000 20000"), ("asset_deleted", "20000 2"),
        ("asset_video", "50000 50000"), ("asset_captioned", "20000 1"),
    ]

    private static let indexesOfV4: IndexStatistics = [
        ("asset_view", "1000000 900000 1 1 1 1 1 1 1"),
        ("asset_view_time", "1000000 900000 2 1 1 1 1 1 1"), ("asset_time", "1000000 2"),
    ]

    private static let indexesOfV9: IndexStatistics = [
        ("asset_session_time", "1000000 20 20 1 1 1 1 1 1 1"),
        ("asset_view_bytes", "1000000 900000 2 1 1 1 1 1"),
    ]

    private static func setStatistics(ofIndexes indexes: IndexStatistics, _ db: Database) throws {
        // Makes the table.
        try db.execute(sql: "ANALYZE sqlite_schema")
        for (index, rows) in indexes {
            try db.execute(
                sql: "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('asset', ?, ?)",
                arguments: [index, rows])
        }
        // Reads them.
        try db.execute(sql: "ANALYZE sqlite_schema")
    }
}
