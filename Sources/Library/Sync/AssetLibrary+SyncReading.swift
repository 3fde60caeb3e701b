// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Hashing
internal import LinuxIO

extension AssetLibrary {
    package nonisolated func syncEntries(
        of remote: SyncRemote, after key: String, limit: Int
    ) async throws(LibraryError) -> [SyncEntry] {
        try await syncEntries(
            of: remote, matching: "key > ?2 ORDER BY key LIMIT ?3", [key, limit])
    }

    nonisolated func syncEntries(
        of remote: SyncRemote, matching condition: String,
        _ arguments: [any DatabaseValueConvertible & Sendable] = []
    ) async throws(LibraryError) -> [SyncEntry] {
        try await reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT key, kind, state, version, bytes, sha256, verified_at, attempts,
                        failure, message, is_gone, EXISTS (
                            SELECT 1 FROM evicted_original
                            WHERE evicted_original.asset = sync_object.asset
                                AND kind IN ('original', 'alternate')) AS is_only_there
                    FROM sync_object
                    WHERE remote = \(Self.remoteNumber) AND \(condition)
                    """, arguments: StatementArguments([remote.name] + arguments))
            return rows.map { row in
                SyncEntry(
                    key: row["key"], kind: SyncObject.Kind(rawValue: row["kind"]) ?? .original,
                    state: SyncEntry.State(rawValue: row["state"]) ?? .queued,
                    version: row["version"], bytes: row["bytes"],
                    sha256: (row["sha256"] as Data?).map { hexadecimal($0) },
                    verifiedAt: row["verified_at"], attempts: row["attempts"],
                    failure: (row["failure"] as String?).map {
                        SyncFailure(stored: $0, row["message"])
                    }, isGone: row["is_gone"], isOnlyThere: row["is_only_there"])
            }
        }
    }

    /// Returns what a remote does not have, without looking at each object; `nil` for no remote.
    package nonisolated func syncBacklog(
        of remote: SyncRemote?
    ) async throws(LibraryError) -> SyncBacklog {
        try await reading { db in try Self.backlog(db, of: remote) }
    }

    private static func backlog(_ db: Database, of remote: SyncRemote?) throws -> SyncBacklog {
        var backlog = SyncBacklog()
        let waiting = try Row.fetchOne(
            db,
            sql: """
                SELECT count, bytes, (SELECT min(queued_at) FROM outbox)
                FROM view_counter WHERE name = 'notYetSynced'
                """)
        if let waiting {
            backlog.pending = waiting[0]
            backlog.bytesPending = waiting[1]
            backlog.oldestPendingSeconds = (waiting[2] as Int64?).map {
                max(0, (Clock.wall - $0) / 1_000_000_000)
            }
        }
        let row = try Row.fetchOne(
            db, sql: "SELECT last_success, is_paused FROM sync_remote WHERE name = ?1",
            arguments: [remote?.name])
        if let row {
            backlog.lastSuccess = (row[0] as Int64?).map(WallTime.init(here:))
            backlog.isPaused = row[1]
        }
        return backlog
    }

    package nonisolated func syncProgress(
        of remote: SyncRemote
    ) async throws(LibraryError) -> SyncProgress {
        try await reading { db in
            var progress = SyncProgress()
            progress.backlog = try Self.backlog(db, of: remote)
            if let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT count(*) FILTER (WHERE kind NOT IN ('original', 'alternate')),
                        count(*) FILTER (WHERE state = 'failed')
                    FROM sync_object INDEXED BY sync_object_due
                    WHERE remote = \(Self.remoteNumber) AND state <> 'verified'
                    """, arguments: [remote.name])
            {
                progress.pendingRecords = row[0]
                progress.failed = row[1]
            }
            progress.lastFailure = try Row.fetchOne(
                db,
                sql: """
                    SELECT failure, message FROM sync_object INDEXED BY sync_object_due
                    WHERE remote = \(Self.remoteNumber) AND state = 'failed' AND state <> 'verified'
                    ORDER BY next_try DESC LIMIT 1
                    """, arguments: [remote.name]
            ).map { SyncFailure(stored: $0["failure"], $0["message"]) }
            return progress
        }
    }
}
