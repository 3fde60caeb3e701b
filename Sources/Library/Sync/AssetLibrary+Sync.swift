// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Hashing
internal import LinuxIO

extension AssetLibrary: SyncLedger {
    /// Assets whose objects one transaction notes. New photos wait for it.
    private static let planned = 500

    package func beginSync(
        with remote: SyncRemote, renditions: Bool
    ) async throws(LibraryError) {
        try requireWritable()
        try databaseWrite { db in
            // An asset that the former remote has may be unknown to this one, and edits were not
            // noted while nobody wanted them: all assets are planned anew.
            try db.execute(
                sql: """
                    INSERT INTO sync_remote (name, is_current, wants_renditions) VALUES (?1, 1, ?2)
                        ON CONFLICT (name) DO UPDATE
                            SET planned = 0, is_current = 1, wants_renditions = ?2
                        WHERE NOT is_current OR wants_renditions <> ?2;
                    """, arguments: [remote.name, renditions])
            try db.execute(
                sql: "UPDATE sync_remote SET is_current = 0 WHERE is_current AND name <> ?",
                arguments: [remote.name])
            try db.execute(
                sql: """
                    UPDATE sync_object SET state = 'queued'
                    WHERE state IN ('sending', 'sent') AND remote = \(Self.remoteNumber)
                    """, arguments: [remote.name])
        }
        while try plan(remote) { await Task.yield() }
    }

    /// The SQL for the number of the remote whose name is the first argument.
    static let remoteNumber = "(SELECT number FROM sync_remote WHERE name = ?1)"

    /// Notes the objects of the next assets, and which assets the remote does not have. Returns
    /// whether there may be more.
    private func plan(_ remote: SyncRemote) throws(LibraryError) -> Bool {
        try requireWritable()
        let last = try databaseRead { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT max(sequence) FROM (
                        SELECT sequence FROM asset
                        WHERE sequence > (SELECT planned FROM sync_remote WHERE name = ?1)
                        ORDER BY sequence LIMIT ?2)
                    """, arguments: [remote.name, Self.planned])
        }
        guard let last else { return false }
        let now = Clock.wall
        try databaseWrite { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO sync_object (remote, key, kind, asset, day, queued_at)
                        SELECT number, 'originals/' || path, 'original', sequence,
                            substr(path, 1, 10), ?3
                        FROM sync_remote JOIN asset ON sequence > planned AND sequence <= ?2
                        WHERE name = ?1
                    UNION ALL
                        SELECT number, 'originals/' || substr(path, 1, 47) || '.' || file_extension,
                            'alternate', sequence, substr(path, 1, 10), ?3
                        FROM sync_remote JOIN asset ON sequence > planned AND sequence <= ?2
                        JOIN alternate_photo ON alternate_photo.asset = sequence WHERE name = ?1
                    UNION ALL
                        SELECT number, 'sidecars/' || substr(path, 1, 47) || '.json', 'sidecar',
                            sequence, substr(path, 1, 10), ?3
                        FROM sync_remote JOIN asset ON sequence > planned AND sequence <= ?2
                        WHERE name = ?1
                    """, arguments: [remote.name, last, now])
            try db.execute(
                sql: LibrarySchema.rendition(
                    "sequence > planned AND sequence <= ?2 AND name = ?1", isChanged: false),
                arguments: [remote.name, last])
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO outbox (asset, queued_at) SELECT sequence, ?3
                        FROM sync_remote JOIN asset ON sequence > planned AND sequence <= ?2
                        WHERE name = ?1 AND EXISTS (\(Self.missing("sequence", "number")))
                    """, arguments: [remote.name, last, now])
            try db.execute(
                sql: """
                    DELETE FROM outbox WHERE asset IN (SELECT sequence
                        FROM sync_remote JOIN asset ON sequence > planned AND sequence <= ?2
                        WHERE name = ?1 AND NOT EXISTS (\(Self.missing("sequence", "number"))))
                    """, arguments: [remote.name, last])
            try db.execute(
                sql: "UPDATE sync_remote SET planned = ?2 WHERE name = ?1",
                arguments: [remote.name, last])
        }
        return true
    }

    /// The SQL for an asset's files that are not verified. The planner does not know that a remote
    /// has many objects, and would read them all: so statements here name their index.
    /// - Parameter renditions: Whether an edited picture counts, too.
    static func missing(
        _ asset: String, _ remote: String, renditions: Bool = false
    ) -> String {
        """
        SELECT 1 FROM sync_object AS missing INDEXED BY sync_object_asset
            WHERE missing.asset = \(asset)
            AND missing.remote = \(remote)
            AND kind IN ('original', 'alternate'\(renditions ? ", 'rendition'" : ""))
            AND state <> 'verified'
        """
    }

    package func nextObjects(
        for remote: SyncRemote, limit: Int
    ) async throws(LibraryError) -> [SyncObject] {
        while try plan(remote) { await Task.yield() }
        let now = Clock.wall
        for kinds in [
            [SyncObject.Kind.original, .alternate], [.rendition], [.sidecar], [.manifest],
        ] {
            let due = try databaseRead { db in
                Self.batch(try self.due(db, kinds, for: remote, limit: limit, now: now))
            }
            guard !due.isEmpty else { continue }
            try databaseWrite { db in
                for object in due {
                    try db.cachedStatement(
                        sql: """
                            UPDATE sync_object SET state = 'sending', attempts = attempts + 1
                            WHERE remote = \(Self.remoteNumber) AND key = ?2
                            """
                    ).execute(arguments: [remote.name, object.key])
                }
            }
            return due
        }
        return []
    }

    /// The size of a batch, unless one object is larger. Nothing of a batch is verified before all
    /// of it is sent.
    private static let batchBytes: Int64 = 256 << 20
    /// The size of a batch of renditions, which may be in memory on their way.
    private static let renditionBytes: Int64 = 32 << 20

    private static func batch(_ objects: [SyncObject]) -> [SyncObject] {
        var bytes: Int64 = 0
        return Array(
            objects.prefix { object in
                defer { bytes += object.bytes }
                let most = object.photo == nil ? batchBytes : renditionBytes
                return bytes == 0 || bytes + object.bytes <= most
            })
    }

    /// The longest delay in nanoseconds. A later time of the next attempt comes from a clock that
    /// was wrong.
    private static let longestDelay: Int64 = 3_600_000_000_000

    private nonisolated func due(
        _ db: Database, _ kinds: [SyncObject.Kind], for remote: SyncRemote, limit: Int, now: Int64
    ) throws -> [SyncObject] {
        let words = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        // A side-car follows its files, and a manifest everything else of its day. The index has
        // only what is not verified.
        let isReady =
            switch kinds.first {
            case .sidecar:
                "AND (is_gone OR NOT EXISTS (\(Self.missing("object.asset", "object.remote"))))"
            case .manifest:
                """
                AND NOT EXISTS (SELECT 1 FROM sync_object AS other INDEXED BY sync_object_day
                    WHERE other.remote = object.remote AND other.day = object.day
                    AND other.kind <> 'manifest' AND other.state IN ('queued', 'sending', 'sent'))
                """
            // What only another remote has cannot be sent from here.
            default:
                """
                AND (is_gone OR NOT EXISTS (
                    SELECT 1 FROM evicted_original WHERE evicted_original.asset = object.asset))
                """
            }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT key, kind, version, is_gone, attempts, asset, day, failure
                FROM sync_object AS object
                WHERE remote = \(Self.remoteNumber) AND kind IN (\(words))
                    AND state IN ('queued', 'failed') AND state <> 'verified'
                    AND (next_try <= ?2 OR next_try > ?2 + \(Self.longestDelay)) \(isReady)
                ORDER BY kind, asset LIMIT ?3
                """, arguments: [remote.name, now, limit])
        let assets = try Self.assets(db, rows.map { $0["asset"] })
        return try rows.compactMap { row in
            let kind = SyncObject.Kind(rawValue: row["kind"]) ?? .original
            let key: String = row["key"]
            let goal = SyncObject.Goal(rawValue: row["is_gone"]) ?? .asPolicySays
            func object(
                file: String? = nil, content: Data? = nil, photo: AssetResource? = nil,
                bytes: Int64 = 0, sha256: String = ""
            ) -> SyncObject {
                SyncObject(
                    key, kind, version: row["version"], file: file, content: content, photo: photo,
                    bytes: bytes, sha256: sha256, goal: goal, attempts: row["attempts"],
                    isOther: row["failure"] as String? == SyncFailure.differs)
            }
            func object(holding content: Data) -> SyncObject {
                object(
                    content: content, bytes: Int64(content.count),
                    sha256: hexadecimal(SHA256.hash([Array(content)])))
            }
            guard goal == .present else { return object() }
            if kind == .manifest {
                return object(holding: try manifest(db, of: row["day"], at: remote))
            }
            guard let asset = assets[row["asset"]] else { return nil }
            let file = "\(layout.root)/\(key)"
            switch kind {
            case .sidecar: return object(holding: try sidecar(db, asset))
            case .rendition:
                return object(
                    photo: AssetResource(asset, in: layout), bytes: asset.asset.bytes)
            case .alternate:
                return asset.asset.alternatePhoto.map {
                    object(file: file, bytes: $0.bytes, sha256: $0.sha256)
                }
            case .original, .manifest:
                return object(file: file, bytes: asset.asset.bytes, sha256: asset.asset.sha256)
            }
        }
    }

    private static func assets(
        _ db: Database, _ sequences: [Int64]
    ) throws -> [Int64: AssetRow] {
        let list = "[\(Set(sequences).map(String.init).joined(separator: ","))]"
        let rows = try AssetRow.fetch(
            db, "WHERE sequence IN (SELECT value FROM json_each(?))", [list])
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.asset.sequence, $0) })
    }

    private nonisolated func sidecar(_ db: Database, _ row: AssetRow) throws -> Data {
        let albums = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT title FROM collection JOIN album_asset ON album = number
                    WHERE asset = ? ORDER BY title, number
                    """), arguments: [row.asset.sequence])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            Sidecar(asset: row.asset, key: "originals/\(row.path)", albums: albums))
    }

    private nonisolated func manifest(
        _ db: Database, of day: String, at remote: SyncRemote
    ) throws -> Data {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT key, kind, bytes, sha256 FROM sync_object INDEXED BY sync_object_day
                WHERE remote = \(Self.remoteNumber) AND day = ?2 AND kind <> 'manifest'
                    AND sha256 IS NOT NULL ORDER BY key
                """, arguments: [remote.name, day])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var content = Data()
        while let row = try rows.next() {
            let key: String = row["key"]
            content += try encoder.encode(
                ManifestLine(
                    asset: SyncObject.asset(ofKey: key), key: key,
                    kind: row["kind"], bytes: row["bytes"],
                    sha256: hexadecimal(row["sha256"] as Data)))
            content.append(UInt8(ascii: "\n"))
        }
        return content
    }

    package func record(
        _ reports: [SyncReport], for remote: SyncRemote
    ) async throws(LibraryError) {
        try requireWritable()
        try databaseWrite { db in
            var record = SyncRecord(db, remote: remote.name, now: Clock.wall)
            for report in reports { try record.note(report) }
            try record.finish()
        }
    }

    package func retryFailed(for remote: SyncRemote) async throws(LibraryError) {
        try requireWritable()
        try databaseWrite { db in
            try db.execute(
                sql: """
                    UPDATE sync_object SET next_try = 0
                    WHERE remote = \(Self.remoteNumber) AND state = 'failed'
                    """, arguments: [remote.name])
        }
    }

    package func setSyncPaused(
        _ isPaused: Bool, of remote: SyncRemote
    ) async throws(LibraryError) {
        try requireWritable()
        try databaseWrite { db in
            try db.execute(
                sql: """
                    INSERT INTO sync_remote (name, is_paused) VALUES (?1, ?2)
                        ON CONFLICT (name) DO UPDATE SET is_paused = ?2
                    """, arguments: [remote.name, isPaused])
        }
    }
}

/// The content of a side-car: the asset's JSON, the original's key, and the titles of albums.
private struct Sidecar: Encodable {
    let asset: Asset
    let key: String
    let albums: [String]

    private enum CodingKeys: CodingKey { case key, albums }

    func encode(to encoder: any Encoder) throws {
        try asset.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(key, forKey: .key)
        try values.encode(albums, forKey: .albums)
    }
}

/// A line of a manifest: an object that was verified.
private struct ManifestLine: Encodable {
    let asset: String
    let key: String
    let kind: String
    let bytes: Int64
    let sha256: String
}
