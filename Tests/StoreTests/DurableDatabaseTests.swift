// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import GRDB
import LinuxIO
import Store
import Testing

@Suite("DurableDatabase")
struct DurableDatabaseTests {
    final class Folder {
        let path = NSTemporaryDirectory() + "store-" + UUID().uuidString
        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }
        deinit { try? FileManager.default.removeItem(atPath: path) }
        var database: String { path + "/test.sqlite" }
    }

    static func schema(version: Int32 = 3) -> DurableDatabase.Schema {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT;
                    CREATE TABLE child (parent INTEGER REFERENCES parent (id), data BLOB) STRICT;
                    """)
        }
        return DurableDatabase.Schema(
            applicationID: 0x1234_5678, version: version, migrator: migrator)
    }

    @Test("a database has WAL, synchronous=FULL, foreign keys, our identifier and version")
    func settings() throws {
        let folder = try Folder()
        let database = try DurableDatabase(at: folder.database, schema: Self.schema())
        #expect(database.readOnlyReason == nil)
        let values = try database.write { db in
            try [
                "synchronous", "journal_mode", "foreign_keys", "busy_timeout",
                "wal_autocheckpoint",
            ].map {
                try String.fetchOne(db, sql: "PRAGMA \($0)")
            }
        }
        #expect(values == ["2", "wal", "1", "5000", "1000"])
        let error = #expect(throws: StoreError.self) {
            try database.write { db in try db.execute(sql: "INSERT INTO child VALUES (7, NULL)") }
        }
        #expect(error?.code == .refused)
        try database.close()
        // The fields of the file header: sqlite.org/fileformat2.html, 1.3.
        let header = try #require(FileManager.default.contents(atPath: folder.database))
        #expect(Array(header[60..<64]) == [0, 0, 0, 3])
        #expect(Array(header[68..<72]) == [0x12, 0x34, 0x56, 0x78])
    }

    @Test(
        "a database on a read-only medium can be read, whatever its name, but not written",
        arguments: [true, false])
    func readingOnly(isClosed: Bool) throws {
        let folder = try Folder()
        let path = folder.path + "/a?b%20c#ü.sqlite"
        let writer = try DurableDatabase(at: path, schema: Self.schema())
        try writer.write { db in try db.execute(sql: "INSERT INTO parent VALUES (7)") }
        // Otherwise the row is still in the WAL, as after a crash.
        if isClosed { try writer.close() }
        let database = try DurableDatabase(
            readingOnly: path, schema: Self.schema(), reason: "mounted so")
        #expect(database.readOnlyReason == "mounted so")
        #expect(try database.read { db in try Int.fetchOne(db, sql: "SELECT id FROM parent") } == 7)
        let error = #expect(throws: StoreError.self) {
            try database.write { db in try db.execute(sql: "DELETE FROM parent") }
        }
        #expect(error?.code == .readOnly)
        try database.close()
        if !isClosed { try writer.close() }
    }

    @Test("an outdated, foreign or newer database cannot be opened read-only")
    func notReadingOnly() throws {
        let folder = try Folder()
        try DurableDatabase(at: folder.database, schema: Self.schema()).close()
        var migrator = Self.schema().migrator
        migrator.registerMigration("v2") { _ in }
        let later = DurableDatabase.Schema(
            applicationID: 0x1234_5678, version: 3, migrator: migrator)
        let foreign = DurableDatabase.Schema(
            applicationID: 0x1234_5679, version: 3, migrator: Self.schema().migrator)
        let cases = [
            (later, StoreError.Code.readOnly), (foreign, .damaged),
            (Self.schema(version: 2), .newer),
        ]
        for (schema, code) in cases {
            let error = #expect(throws: StoreError.self) {
                _ = try DurableDatabase(readingOnly: folder.database, schema: schema, reason: "")
            }
            #expect(error?.code == code)
        }
    }

    @Test("a database without synchronous=FULL is read-only and says why")
    func notFull() throws {
        let folder = try Folder()
        let full = try DurableDatabase(at: folder.database, schema: Self.schema())
        try full.write { db in try db.execute(sql: "INSERT INTO parent VALUES (1)") }
        try full.close()
        let normal = try DurableDatabase(
            at: folder.database, schema: Self.schema(), synchronous: "NORMAL")
        #expect(normal.readOnlyReason?.contains("reads back as 1, not FULL") == true)
        #expect(try normal.read { db in try Int.fetchOne(db, sql: "SELECT id FROM parent") } == 1)
        let error = #expect(throws: StoreError.self) {
            try normal.write { db in try db.execute(sql: "DELETE FROM parent") }
        }
        #expect(error?.code == .readOnly)
    }

    @Test("another program's database is left untouched")
    func foreign() throws {
        let folder = try Folder()
        let other = try DatabaseQueue(path: folder.database)
        try other.write { db in try db.execute(sql: "CREATE TABLE theirs (a)") }
        try other.close()
        let before = FileManager.default.contents(atPath: folder.database)
        let error = #expect(throws: StoreError.self) {
            _ = try DurableDatabase(at: folder.database, schema: Self.schema())
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("another program's database") == true)
        #expect(FileManager.default.contents(atPath: folder.database) == before)
    }

    @Test("a file that is no database is refused and left untouched")
    func noDatabase() throws {
        let folder = try Folder()
        let content = Data(repeating: 65, count: 8192)
        try content.write(to: URL(fileURLWithPath: folder.database))
        let error = #expect(throws: StoreError.self) {
            _ = try DurableDatabase(at: folder.database, schema: Self.schema())
        }
        #expect(error?.code == .damaged)
        #expect(FileManager.default.contents(atPath: folder.database) == content)
    }

    @Test("a newer format is refused, later additive migrations are accepted")
    func versions() throws {
        let folder = try Folder()
        try DurableDatabase(at: folder.database, schema: Self.schema(version: 4)).close()
        let error = #expect(throws: StoreError.self) {
            _ = try DurableDatabase(at: folder.database, schema: Self.schema(version: 3))
        }
        #expect(error?.code == .newer)
        #expect(error?.message.contains("format 4, this one knows 3") == true)

        let later = try DurableDatabase(at: folder.database, schema: Self.schema(version: 4))
        try later.write { db in
            try db.execute(
                sql: """
                    ALTER TABLE parent ADD COLUMN added INTEGER NOT NULL DEFAULT 0;
                    INSERT INTO grdb_migrations VALUES ('v2');
                    """)
        }
        try later.close()
        let old = try DurableDatabase(at: folder.database, schema: Self.schema(version: 4))
        try old.write { db in try db.execute(sql: "INSERT INTO parent (id) VALUES (5)") }
        try old.close()
    }

    @Test("a failed copy releases none of the database's locks")
    func locks() throws {
        let folder = try Folder()
        let database = try DurableDatabase(at: folder.database, schema: Self.schema())
        try database.write { db in try db.execute(sql: "INSERT INTO parent VALUES (1)") }
        let file = try FileManager.default.attributesOfItem(atPath: folder.database)
        let inode = try #require(file[.systemFileNumber] as? Int)
        /// Returns the locks that the kernel lists (proc_locks(5)). It lists them in pieces, so one
        /// may be missed or repeated while other tests' locks come and go.
        func locks() throws -> Set<Substring> {
            try (0..<10).reduce(into: []) { found, _ in
                var reader = try FileLineReader("/proc/locks")
                while let line = try reader.next() {
                    let line = String(decoding: line, as: UTF8.self)
                    let isOurs = line.contains(" \(getpid()) ") && line.contains(":\(inode) ")
                    // Drops the number, which counts the lines.
                    if isOurs && line.contains("POSIX") { found.insert(line.drop { $0 != " " }) }
                }
            }
        }
        let before = try locks()
        #expect(!before.isEmpty)
        let error = #expect(throws: StoreError.self) {
            try DatabaseFile.copy(folder.database, to: folder.path + "/none/copy.sqlite")
        }
        #expect(error?.code == .permission && error?.message.contains("(SQLite 14)") == true)
        #expect(try locks() == before)
        try database.close()
    }

    @Test("the WAL stays within bounds, and a closed database throws closed")
    func boundedWAL() throws {
        let folder = try Folder()
        let database = try DurableDatabase(at: folder.database, schema: Self.schema())
        var longest = 0
        for _ in 0..<200 {
            try database.write { db in
                try db.execute(sql: "INSERT INTO child VALUES (NULL, zeroblob(200000))")
            }
            let wal = try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")
            longest = max(longest, try #require(wal[.size] as? Int))
        }
        #expect(longest > 3 << 20)
        #expect(longest < 6 << 20)
        try database.close()
        let error = #expect(throws: StoreError.self) {
            try database.read { db in try Int.fetchOne(db, sql: "SELECT 1") }
        }
        #expect(error?.code == .closed)
    }
}
