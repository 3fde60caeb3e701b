// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

/// The index of a cache's files: an SQLite file, which several processes may use. Every change
/// survives a power cut once the call returns.
struct ContentIndex: Sendable {
    private let database: DurableDatabase

    /// Opens or creates the index. A damaged one is removed first: its files can be fetched again.
    init(at path: String) throws(StoreError) {
        do throws(StoreError) {
            self = try Self.readable(path)
        } catch {
            // Another program's file has no error of SQLite, and stays.
            guard error.code == .damaged, error.underlying != nil else { throw error }
            for suffix in ["", "-wal", "-shm"] { try? FileTree.remove(path + suffix) }
            self = try Self.readable(path)
        }
    }

    /// Opens an index and reads all of it: opening alone reads only the schema.
    private static func readable(_ path: String) throws(StoreError) -> ContentIndex {
        let index = ContentIndex(try DurableDatabase(at: path, schema: schema))
        do throws(StoreError) {
            _ = (try index.items(), try index.parts())
        } catch {
            index.close()
            throw error
        }
        return index
    }

    private init(_ database: DurableDatabase) { self.database = database }

    /// Opens an existing index only to read it.
    static func readOnly(_ path: String) throws(StoreError) -> ContentIndex {
        ContentIndex(
            try DurableDatabase(readingOnly: path, schema: schema, reason: "the cache is only read")
        )
    }

    func close() { try? database.close() }

    /// The application id is "VTRC" in ASCII.
    private static let schema = DurableDatabase.Schema(
        applicationID: 0x5654_5243, version: 1, migrator: migrator)

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(
                sql: """
                    -- Complete files. Times are nanoseconds: wall ones since 1970, boot ones since
                    -- the boot. A lifetime counts from renewed_*, in seconds.
                    CREATE TABLE item (
                        url TEXT NOT NULL PRIMARY KEY,
                        file TEXT NOT NULL UNIQUE,
                        bytes INTEGER NOT NULL CHECK (bytes > 0),
                        sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
                        content_type TEXT,
                        etag TEXT,
                        last_modified TEXT,
                        download_started INTEGER NOT NULL,
                        download_ended INTEGER NOT NULL,
                        renewed_wall INTEGER NOT NULL,
                        renewed_trusted INTEGER NOT NULL,
                        renewed_boot INTEGER NOT NULL,
                        renewed_boot_id TEXT NOT NULL,
                        lifetime REAL NOT NULL,
                        has_own_lifetime INTEGER NOT NULL,
                        must_revalidate INTEGER NOT NULL,
                        stale_while_revalidate REAL NOT NULL,
                        stale_if_error REAL,
                        last_used INTEGER NOT NULL,
                        -- The order of uses, which no clock can confuse.
                        use_number INTEGER NOT NULL,
                        hits INTEGER NOT NULL DEFAULT 0,
                        downloads INTEGER NOT NULL DEFAULT 1,
                        renewals INTEGER NOT NULL DEFAULT 0
                    ) STRICT;
                    CREATE INDEX item_used ON item (use_number);

                    -- Unfinished downloads that can go on: the first `bytes` are on the medium.
                    CREATE TABLE part (
                        url TEXT NOT NULL PRIMARY KEY,
                        validator TEXT NOT NULL,
                        bytes INTEGER NOT NULL
                    ) STRICT;
                    """)
        }
        return migrator
    }

    private static let nextUse = "(SELECT coalesce(max(use_number), 0) + 1 FROM item)"

    // MARK: - Items

    func item(_ url: ContentURL) throws(StoreError) -> CachedItem? {
        try database.read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM item WHERE url = ?", arguments: [url.text])
                .flatMap(CachedItem.init)
        }
    }

    /// Returns all items, those used last first.
    func items() throws(StoreError) -> [CachedItem] {
        try database.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM item ORDER BY use_number DESC")
                .compactMap(CachedItem.init)
        }
    }

    /// Returns once those who publish have done so, also in other processes.
    func waitForPublishers() throws(StoreError) { try database.write { _ in } }

    /// Stores an item in place of an older one, and forgets its unfinished download.
    /// - Parameter placeFile: Puts the item's file in its place. Whoever finds it gone from the old
    ///   one, and then calls ``waitForPublishers()``, finds the item.
    /// - Throws: `StoreError`; what `placeFile` throws.
    func publish(
        _ item: CachedItem, _ placeFile: () throws(SystemCallError) -> Void
    ) throws {
        do throws(StoreError) {
            try database.write { db in
                try placeFile()
                try Self.insert(item, db)
            }
        } catch {
            throw error.underlying as? SystemCallError ?? error
        }
    }

    private static func insert(_ item: CachedItem, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM part WHERE url = ?", arguments: [item.url.text])
        try db.execute(
            sql: """
                INSERT INTO item (
                    url, file, bytes, sha256, content_type, etag, last_modified,
                    download_started, download_ended, renewed_wall, renewed_trusted,
                    renewed_boot, renewed_boot_id, lifetime, has_own_lifetime, must_revalidate,
                    stale_while_revalidate, stale_if_error, last_used, use_number)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                    \(Self.nextUse))
                ON CONFLICT (url) DO UPDATE SET
                    file = excluded.file, bytes = excluded.bytes, sha256 = excluded.sha256,
                    content_type = excluded.content_type, etag = excluded.etag,
                    last_modified = excluded.last_modified,
                    download_started = excluded.download_started,
                    download_ended = excluded.download_ended,
                    renewed_wall = excluded.renewed_wall,
                    renewed_trusted = excluded.renewed_trusted,
                    renewed_boot = excluded.renewed_boot,
                    renewed_boot_id = excluded.renewed_boot_id,
                    lifetime = excluded.lifetime,
                    has_own_lifetime = excluded.has_own_lifetime,
                    must_revalidate = excluded.must_revalidate,
                    stale_while_revalidate = excluded.stale_while_revalidate,
                    stale_if_error = excluded.stale_if_error,
                    last_used = excluded.last_used, use_number = excluded.use_number,
                    downloads = downloads + 1
                """,
            arguments: [
                item.url.text, item.file, item.bytes, Data(item.sha256), item.contentType,
                item.etag, item.lastModified, item.downloadStarted, item.downloadEnded,
                item.renewed.wall, item.renewed.isTrusted, item.renewed.boot,
                item.renewed.bootIdentifier, item.lifetime, item.hasOwnLifetime,
                item.control.mustRevalidate, item.control.staleWhileRevalidate,
                item.control.staleIfError, item.lastUsed,
            ])
    }

    /// Sets the moment from which a lifetime counts, and the lifetime. Returns whether the item is
    /// still there.
    func renew(
        _ item: CachedItem, at now: ContentMoment, lifetime: Double, isOwn: Bool,
        control: CacheControl?
    ) throws(StoreError) -> Bool {
        let rules = control ?? item.control
        return try database.write { db in
            try db.execute(
                sql: """
                    UPDATE item SET renewed_wall = ?, renewed_trusted = ?, renewed_boot = ?,
                        renewed_boot_id = ?, lifetime = ?, has_own_lifetime = ?,
                        must_revalidate = ?, stale_while_revalidate = ?, stale_if_error = ?,
                        last_used = ?, use_number = \(Self.nextUse),
                        renewals = renewals + ?, hits = hits + ?
                    WHERE url = ? AND file = ?
                    """,
                arguments: [
                    now.wall, now.isTrusted, now.boot, now.bootIdentifier, lifetime, isOwn,
                    rules.mustRevalidate, rules.staleWhileRevalidate, rules.staleIfError, now.wall,
                    control == nil ? 0 : 1, control == nil ? 1 : 0, item.url.text, item.file,
                ])
            return db.changesCount > 0
        }
    }

    /// Notes uses of an item.
    func use(_ url: ContentURL, hits: Int, at wall: Int64) throws(StoreError) {
        try database.write { db in
            try db.execute(
                sql: """
                    UPDATE item SET last_used = ?, use_number = \(Self.nextUse), hits = hits + ?
                    WHERE url = ?
                    """, arguments: [wall, hits, url.text])
        }
    }

    /// Removes an item if its file is still this one.
    func remove(_ item: CachedItem) throws(StoreError) {
        try database.write { db in
            try db.execute(
                sql: "DELETE FROM item WHERE url = ? AND file = ?",
                arguments: [item.url.text, item.file])
        }
    }

    // MARK: - Unfinished downloads

    struct Part: Sendable {
        let url: String
        /// The value for `If-Range`.
        let validator: String
        /// The bytes that survive a power cut.
        let bytes: Int
    }

    func part(_ url: ContentURL) throws(StoreError) -> Part? {
        try database.read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM part WHERE url = ?", arguments: [url.text])
                .map { Part(url: $0["url"], validator: $0["validator"], bytes: $0["bytes"]) }
        }
    }

    /// The URLs of all unfinished downloads.
    func parts() throws(StoreError) -> [String] {
        try database.read { db in try String.fetchAll(db, sql: "SELECT url FROM part") }
    }

    func keepPart(_ url: ContentURL, validator: String, bytes: Int) throws(StoreError) {
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO part VALUES (?, ?, ?)
                    ON CONFLICT (url) DO UPDATE SET
                        validator = excluded.validator, bytes = excluded.bytes
                    """, arguments: [url.text, validator, bytes])
        }
    }

    func removePart(_ url: String) throws(StoreError) {
        try database.write { db in
            try db.execute(sql: "DELETE FROM part WHERE url = ?", arguments: [url])
        }
    }
}

extension CachedItem {
    fileprivate init?(_ row: Row) {
        guard let url = ContentURL(row["url"]) else { return nil }
        self.url = url
        file = row["file"]
        bytes = row["bytes"]
        let hash: Data = row["sha256"]
        sha256 = Array(hash)
        contentType = row["content_type"]
        etag = row["etag"]
        lastModified = row["last_modified"]
        downloadStarted = row["download_started"]
        downloadEnded = row["download_ended"]
        renewed = ContentMoment(
            wall: row["renewed_wall"], isTrusted: row["renewed_trusted"], boot: row["renewed_boot"],
            bootIdentifier: row["renewed_boot_id"])
        lifetime = row["lifetime"]
        hasOwnLifetime = row["has_own_lifetime"]
        var control = CacheControl()
        control.mustRevalidate = row["must_revalidate"]
        control.staleWhileRevalidate = row["stale_while_revalidate"]
        control.staleIfError = row["stale_if_error"]
        self.control = control
        lastUsed = row["last_used"]
        hits = row["hits"]
        downloads = row["downloads"]
        renewals = row["renewals"]
    }
}
