// SPDX-License-Identifier: GPL-3.0-or-later

package import GRDB
internal import LinuxIO

/// An SQLite file whose commits survive a power cut once they return: WAL, synchronous=FULL,
/// foreign keys, one writing connection, a bounded WAL. Any thread. A reader sees the state at its
/// start, and must finish within a second: an open read transaction keeps the WAL from shrinking.
package final class DurableDatabase: Sendable {
    package struct Schema: Sendable {
        /// SQLite's application_id: four letters that tell our files from others.
        package let applicationID: Int32
        /// SQLite's user_version, raised only by changes with which older programs cannot work.
        /// Additive migrations keep it, so that older programs still open the file.
        package let version: Int32
        package let migrator: DatabaseMigrator
        /// SQL functions for queries. Stored SQL must not use them: others could not open the file.
        package let functions: [DatabaseFunction]

        package init(
            applicationID: Int32, version: Int32, migrator: DatabaseMigrator,
            functions: [DatabaseFunction] = []
        ) {
            self.applicationID = applicationID
            self.version = version
            self.migrator = migrator
            self.functions = functions
        }
    }

    package let path: String
    /// Why the file is read-only; `nil` if it can be written.
    package let readOnlyReason: String?
    private let pool: DatabasePool

    /// Pages that the WAL may hold before a commit moves them to the file: 4 MiB.
    private static let checkpointPages = 1000

    /// Opens or creates the file and migrates its schema. If synchronous=FULL does not read back,
    /// the file is opened read-only, and ``readOnlyReason`` says so. Only tests ask for less.
    package init(
        at path: String, schema: Schema, synchronous: String = "FULL"
    ) throws(StoreError) {
        self.path = path
        do {
            let pool = try DatabasePool(
                path: path, configuration: Self.configuration(schema, path: path))
            let level = try pool.writeWithoutTransaction { db in
                // DatabasePool.init has just set NORMAL, which loses commits at a power cut.
                try db.execute(sql: "PRAGMA synchronous = \(synchronous)")
                return try Int.fetchOne(db, sql: "PRAGMA synchronous")
            }
            guard level == 2 else {
                try pool.close()
                var readOnly = Self.configuration(schema, path: path)
                readOnly.readonly = true
                self.pool = try DatabasePool(path: path, configuration: readOnly)
                readOnlyReason =
                    "\(path): synchronous reads back as \(level ?? -1), not FULL (2): "
                    + "opened for reading only"
                return
            }
            try schema.migrator.migrate(pool)
            try pool.write { db in
                // Setting either writes page 1, even if nothing changes.
                if try Int32.fetchOne(db, sql: "PRAGMA application_id") != schema.applicationID {
                    try db.execute(sql: "PRAGMA application_id = \(schema.applicationID)")
                }
                if try Int32.fetchOne(db, sql: "PRAGMA user_version") != schema.version {
                    try db.execute(sql: "PRAGMA user_version = \(schema.version)")
                }
            }
            try pool.writeWithoutTransaction { db in try Self.keepTemporaries(in: "MEMORY", db) }
            self.pool = pool
            readOnlyReason = nil
        } catch {
            throw StoreError("open", path, error)
        }
    }

    /// Opens a file on a medium that cannot be written, for this `reason`.
    /// - Throws: `readOnly` if only a writer could open the file: an earlier program made it, or a
    ///   crash left transactions beside it that must first be written into it.
    package init(
        readingOnly path: String, schema: Schema, reason: String
    ) throws(StoreError) {
        self.path = path
        readOnlyReason = reason
        var configuration = Self.configuration(schema, path: path)
        configuration.readonly = true
        let hasLog = ((try? FileTree.entry(path + "-wal")) ?? nil).map { $0.bytes > 0 } ?? false
        do {
            // If there is no WAL, SQLite must not look for one, nor make locks, which would fail.
            pool = try DatabasePool(
                path: hasLog ? path : Self.unchanging(path), configuration: configuration)
            try pool.read { db in
                try Self.refuseForeign(db, schema, path)
                guard try schema.migrator.hasCompletedMigrations(db) else {
                    throw StoreError(
                        .readOnly,
                        "open \(path): made by an earlier Vitrine, and can be updated only if it "
                            + "is writable")
                }
            }
        } catch {
            let failure = StoreError("open", path, error)
            guard hasLog, failure.underlying != nil,
                [.permission, .readOnly].contains(failure.code)
            else {
                throw failure
            }
            throw StoreError(
                .readOnly,
                "\(failure.message): a crash left changes beside it, which can be applied only "
                    + "if it is writable", underlying: failure.underlying)
        }
    }

    /// Returns SQLite's name for a file that does not change (sqlite.org/uri.html).
    private static func unchanging(_ path: String) -> String {
        // Escapes every byte, which suits all names.
        let escaped = path.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return "file:\(escaped.joined())?immutable=1"
    }

    private static func configuration(_ schema: Schema, path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "library"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            for function in schema.functions { db.add(function: function) }
            guard !db.configuration.readonly else { return }
            // Checked before GRDB turns on WAL, so that a foreign file stays as it is.
            try refuseForeign(db, schema, path)
            try db.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointPages)")
            try db.execute(sql: "PRAGMA journal_size_limit = \(checkpointPages * 4096)")
        }
        return configuration
    }

    private static func refuseForeign(
        _ db: Database, _ schema: Schema, _ path: String
    ) throws {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        // An interrupted first start leaves migrated tables without the identifier.
        let unfinished =
            try application == 0 && (tables == 0 || db.tableExists("grdb_migrations"))
        guard application == schema.applicationID || unfinished else {
            throw StoreError(
                .damaged,
                "open \(path): another program's database (application id \(application)): "
                    + "move it away or choose another folder")
        }
        guard version <= schema.version else {
            throw StoreError(
                .newer,
                "open \(path): made by a newer Vitrine (format \(version), this one knows "
                    + "\(schema.version)): install that version again")
        }
    }

    /// Reads one consistent state. Never waits for a writer.
    package func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try pool.read(body)
        } catch {
            throw StoreError("read", path, error)
        }
    }

    /// Reads one consistent state without blocking the caller's thread.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await pool.read(body)
        } catch {
            throw StoreError("read", path, error)
        }
    }

    /// Runs one transaction and returns when it survives a power cut. An error leaves nothing of
    /// it, except that after ``StoreError/Code/io`` the commit may or may not be on the medium.
    /// `sortsOnDisk` keeps intermediate results in files, because they may exceed the memory.
    package func write<Value>(
        sortsOnDisk: Bool = false, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        if let readOnlyReason { throw StoreError(.readOnly, readOnlyReason) }
        do {
            guard sortsOnDisk else { return try pool.write(body) }
            try pool.writeWithoutTransaction { db in try Self.keepTemporaries(in: "FILE", db) }
            defer {
                try? pool.writeWithoutTransaction { db in
                    try Self.keepTemporaries(in: "MEMORY", db)
                }
            }
            return try pool.write(body)
        } catch {
            throw StoreError("write", path, error)
        }
    }

    /// Sets where SQLite keeps intermediate results and the statement journal, which is 80 KB for a
    /// photo's transaction (sqlite.org/tempfiles.html).
    private static func keepTemporaries(in place: String, _ db: Database) throws {
        try db.execute(sql: "PRAGMA temp_store = \(place)")
    }

    /// Moves the WAL into the file and closes all connections. Later calls throw `closed`.
    package func close() throws(StoreError) {
        do {
            // GRDB closes its readers last, and a reader cannot move the WAL. If one is still
            // reading, the next open moves it.
            _ = try? pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
            try pool.close()
        } catch {
            throw StoreError("close", path, error)
        }
    }
}
