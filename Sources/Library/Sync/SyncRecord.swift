// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Hashing

extension SyncFailure {
    /// The message and the next step in one text.
    fileprivate var stored: String { "\(message)\n\(next)" }

    init(stored code: String, _ text: String) {
        let parts = text.split(separator: "\n", maxSplits: 1).map(String.init)
        self.init(code, parts.first ?? "", next: parts.dropFirst().first ?? "")
    }
}

/// A part of a transaction that records what became of objects.
struct SyncRecord {
    let db: Database
    let remote: String
    let now: Int64
    /// Days whose manifest has to be made anew.
    private var days = Set<String>()
    private var succeeded = false

    init(_ db: Database, remote: String, now: Int64) {
        (self.db, self.remote, self.now) = (db, remote, now)
    }

    private func execute(
        _ sql: String, _ arguments: [(any DatabaseValueConvertible)?]
    ) throws {
        try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    }

    mutating func note(_ report: SyncReport) throws {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT number, kind, asset, day, sha256 FROM sync_object
                    JOIN sync_remote ON number = remote WHERE name = ? AND key = ? AND version = ?
                    """), arguments: [remote, report.key, report.version])
        guard let row else { return }
        let (number, asset, day): (Int64, Int64, String) = (row["number"], row["asset"], row["day"])
        let isThis = "WHERE remote = ? AND key = ?"
        let this: [(any DatabaseValueConvertible)?] = [number, report.key]
        let isManifest = row["kind"] == SyncObject.Kind.manifest.rawValue
        switch report.outcome {
        case .sent: try execute("UPDATE sync_object SET state = 'sent' \(isThis)", this)
        case .verified(let bytes, let sha256):
            let hash = [UInt8](hexadecimal: sha256).map { Data($0) }
            try execute(
                """
                UPDATE sync_object SET state = 'verified', bytes = ?, sha256 = ?, verified_at = ?,
                    attempts = 0, failure = NULL, message = NULL \(isThis)
                """, [bytes, hash, now] + this)
            succeeded = true
            try execute(
                """
                DELETE FROM outbox WHERE asset = ? AND EXISTS (
                        SELECT 1 FROM sync_remote WHERE number = ? AND is_current)
                    AND NOT EXISTS (\(AssetLibrary.missing("outbox.asset", "?2")))
                """, [asset, number])
            // The manifest names the hash.
            if !isManifest, row["sha256"] as Data? != hash {
                days.insert(day)
            }
        case .kept where row["sha256"] as Data? != nil:
            try execute("UPDATE sync_object SET state = 'verified' \(isThis)", this)
        case .removed, .kept:
            try execute("DELETE FROM sync_object \(isThis)", this)
            if !isManifest { days.insert(day) }
        case .failed(let failure, let delay):
            try execute(
                """
                UPDATE sync_object SET state = 'failed', next_try = ?, failure = ?, message = ?
                    \(isThis)
                """,
                [now + Int64(delay) * 1_000_000_000, failure.code, failure.stored] + this)
            // A file that was verified before may be gone.
            try execute(
                """
                INSERT OR IGNORE INTO outbox (asset, queued_at)
                    SELECT sequence, ? FROM asset JOIN sync_remote ON number = ? AND is_current
                    WHERE sequence = ? AND EXISTS (\(AssetLibrary.missing("sequence", "number")))
                """, [now, number, asset])
        }
    }

    /// Ends the part: notes the success, and queues the manifests.
    func finish() throws {
        if succeeded {
            try execute("UPDATE sync_remote SET last_success = ? WHERE name = ?", [now, remote])
        }
        for day in days {
            try execute(
                """
                INSERT INTO sync_object (remote, key, kind, asset, day, queued_at)
                    SELECT number, ?, 'manifest', 0, ?, ? FROM sync_remote WHERE name = ?
                    ON CONFLICT (remote, key) DO UPDATE SET state = 'queued', version = version + 1,
                        attempts = 0, next_try = 0, queued_at = excluded.queued_at
                """,
                [
                    "manifests/\(day.replacing("/", with: "-")).ndjson", day, now, remote,
                ])
        }
    }
}
