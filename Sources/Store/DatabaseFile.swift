// SPDX-License-Identifier: GPL-3.0-or-later

package import GRDB

/// Operations on SQLite files that no ``DurableDatabase`` has open, and copies of open ones.
package enum DatabaseFile {
    /// Writes what is committed in `source` to the new file `target`. Others may read and write
    /// `source` meanwhile, but its WAL does not shrink. The copy is not yet on the medium.
    package static func copy(_ source: String, to target: String) throws(StoreError) {
        // Opened for writing: read-only, SQLite 3.40 loses track of generated columns.
        try use(source, readOnly: false) { db in
            try db.execute(sql: "VACUUM INTO ?", arguments: [target])
        }
    }

    /// Writes all rows of `source` to the new file `target`, with new indexes and triggers. Works
    /// as long as the tables can be read.
    package static func rebuild(_ source: String, to target: String) throws(StoreError) {
        try edit(target) { db in
            try db.execute(sql: "ATTACH ? AS source", arguments: [source])
            try db.inTransaction {
                for pragma in ["application_id", "user_version"] {
                    let value = try Int32.fetchOne(db, sql: "PRAGMA source.\(pragma)") ?? 0
                    try db.execute(sql: "PRAGMA main.\(pragma) = \(value)")
                }
                try create("table", db)
                let own = try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM source.sqlite_schema
                        WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
                        """)
                for table in own + ["sqlite_sequence"] { try copyRows(of: table, db) }
                try create("index", db)
                try create("trigger", db)
                let hasStatistics = "SELECT 1 FROM source.sqlite_schema WHERE name = 'sqlite_stat1'"
                if try Int.fetchOne(db, sql: hasStatistics) != nil {
                    try db.execute(sql: "ANALYZE main.sqlite_schema")
                    try copyRows(of: "sqlite_stat1", db)
                }
                return .commit
            }
        }
    }

    private static func create(_ type: String, _ db: Database) throws {
        let statements = try String.fetchAll(
            db,
            sql: """
                SELECT sql FROM source.sqlite_schema
                WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
                """, arguments: [type])
        for sql in statements { try db.execute(sql: sql) }
    }

    /// Copies row by row. If no columns were named, SQLite would copy UNIQUE's indexes as they are.
    private static func copyRows(of table: String, _ db: Database) throws {
        let columns = try String.fetchAll(
            db, sql: "SELECT name FROM pragma_table_info(?, 'source')", arguments: [table]
        ).map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let name = table.quotedDatabaseIdentifier
        try db.execute(
            sql: """
                DELETE FROM main.\(name);
                INSERT INTO main.\(name) (\(columns))
                    SELECT \(columns) FROM source.\(name) NOT INDEXED
                """)
    }

    /// Returns the first problem that SQLite finds in a file; `nil` if there is none.
    package static func damage(in path: String) throws(StoreError) -> String? {
        do {
            return try use(path, readOnly: true) { db in
                let complaint = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
                return complaint == "ok" ? nil : complaint ?? "no answer"
            }
        } catch {
            guard error.code == .damaged else { throw error }
            return error.message
        }
    }

    /// Runs `body` on a file that nobody else uses, outside transactions. Afterwards everything
    /// committed is in the file itself and on the medium, without a WAL.
    package static func edit<Value>(
        _ path: String, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        try use(path, readOnly: false) { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            let value = try body(db)
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            return value
        }
    }

    /// Reads a file that nobody else uses, outside transactions.
    package static func read<Value>(
        _ path: String, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        try use(path, readOnly: true, body)
    }

    private static func use<Value>(
        _ path: String, readOnly: Bool, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        var configuration = Configuration()
        configuration.label = "file"
        configuration.readonly = readOnly
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(5)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let value = try queue.inDatabase(body)
            try queue.close()
            return value
        } catch {
            throw StoreError(readOnly ? "read" : "edit", path, error)
        }
    }
}
