// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import GRDB
import LinuxIO
import Store
import Testing

@Suite("a durable database")
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

    @Test("is WAL, synchronous FULL, with foreign keys, our identifier and version")
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
        // The header's own fields: sqlite.org/fileformat2.html, 1.3.
        let header = try #require(FileManager.default.contents(atPath: folder.database))
        #expect(Array(header[60..<64]) == [0, 0, 0, 3])
        #expect(Array(header[68..<72]) == [0x12, 0x34, 0x56, 0x78])
    }

    @Test(
        "on a medium that takes nothing is read, whatever its name, and written never",
        arguments: [true, false])
    func readingOnly(isClosed: Bool) throws {
        let folder = try Folder()
        let path = folder.path + "/a?b%20c#ü.sqlite"
        let writer = try DurableDatabase(at: path, schema: Self.schema())
        try writer.write { db in try db.execute(sql: "INSERT INTO parent VALUES (7)") }
        // Else what was written lies in the log, as after a crash.
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

    @Test("that only a writer could bring up to date, or that is another's, is not read only")
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

    @Test("that cannot be FULL is read only and says so")
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

    @Test("does not touch another program's database")
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

    @Test("does not take a file for a database that is none")
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

    @Test("of a newer version is refused, one with later additive migrations is opened")
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

    @Test("keeps its locks when something about it cannot be opened")
    func locks() throws {
        let folder = try Folder()
        let database = try DurableDatabase(at: folder.database, schema: Self.schema())
        try database.write { db in try db.execute(sql: "INSERT INTO parent VALUES (1)") }
        let file = try FileManager.default.attributesOfItem(atPath: folder.database)
        let inode = try #require(file[.systemFileNumber] as? Int)
        /// As the kernel lists them, proc_locks(5): in pieces, between which one may be overlooked, or come twice,
        /// while other tests' come and go.
        func locks() throws -> Set<Substring> {
            try (0..<10).reduce(into: []) { found, _ in
                var reader = try FileLineReader("/proc/locks")
                while let line = try reader.next() {
                    let line = String(decoding: line, as: UTF8.self)
                    let isOurs = line.contains(" \(getpid()) ") && line.contains(":\(inode) ")
                    // Without its number, which counts the lines.
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

    @Test("keeps its WAL within bounds and closed throws closed")
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
