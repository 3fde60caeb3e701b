// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO
internal import Store

/// A report on the replacement of a damaged database.
public struct SalvageReport: Hashable, Sendable, Codable {
    /// The source of the replacement, from best to worst.
    public enum Source: String, Sendable, Codable, CaseIterable {
        /// The damaged database with rebuilt indexes. Nothing is lost.
        case indexes
        /// The newest intact snapshot. Later photos keep only what their files contain.
        case snapshot
        /// An empty database. All photos keep only what their files contain.
        case originals
    }

    /// The source of the replacement.
    public let source: Source
    /// The snapshot that was used, for ``Source/snapshot``.
    public let snapshot: LibrarySnapshot?
    /// The damage that SQLite found.
    public let damage: String

    /// The present state and the losses, for a person.
    public var summary: String {
        switch source {
        case .indexes: "its indexes were rebuilt, nothing is lost"
        case .snapshot:
            "the snapshot of \(snapshot.map { "\($0.createdAt)" } ?? "?") replaces it; every photo "
                + "is there, but changes since then are lost"
        case .originals:
            "a new one replaces it; every photo is there, but no album, caption or favourite"
        }
    }
}

/// Replaces a damaged database with the best one available. The damaged file goes to the folder
/// quarantine/. The next open adopts originals that have no row in the new database.
///
///     check → build in salvage/ → library.restored.sqlite → (quarantine damaged) → library.sqlite
///
/// Once `library.restored.sqlite` has its name, the next open completes what a crash interrupted.
struct DatabaseSalvage {
    let layout: LibraryLayout

    private var workshop: String { "\(layout.root)/salvage" }
    private var damaged: String { "\(workshop)/damaged.sqlite" }
    private var candidate: String { "\(workshop)/library.sqlite" }
    /// Numbers that may have been given since the snapshot: change tokens, asset sequences, album
    /// numbers. They are skipped so that none is given twice; older change tokens expire.
    private static let skippedNumbers: Int64 = 1_000_000

    /// Whether the database is gone although snapshots of it exist.
    var isLost: Bool {
        get throws {
            guard try FileTree.entry(layout.database)?.bytes ?? 0 == 0 else { return false }
            return try !SnapshotFolder(layout: layout).all().isEmpty
        }
    }

    /// Replaces the database if it is damaged or gone.
    /// - Returns: A report; `nil` if the database is intact, or if there is nothing to restore.
    func run() throws -> SalvageReport? {
        try finish()
        defer { try? clear() }
        let report: SalvageReport
        if try isLost {
            report = try best(instead: "it is missing")
        } else {
            guard try FileTree.entry(layout.database) != nil else { return nil }
            try takeApart()
            guard let damage = try DatabaseFile.damage(in: damaged) else { return nil }
            report =
                (try? rebuild()) == true
                ? SalvageReport(source: .indexes, snapshot: nil, damage: damage)
                : try best(instead: damage)
        }
        try DurableFile.synchronizeContent(of: candidate)
        try FileTree.move(candidate, to: layout.restoredDatabase)
        try finish()
        return report
    }

    /// Moves a complete replacement to its place.
    func finish() throws {
        guard try FileTree.entry(layout.restoredDatabase) != nil else { return }
        for path in ["library.sqlite", "library.sqlite-wal"]
        where try FileTree.entry("\(layout.root)/\(path)") != nil {
            _ = try layout.quarantine(path)
        }
        try FileTree.remove("\(layout.database)-shm")
        try FileTree.move(layout.restoredDatabase, to: layout.database)
    }

    /// Copies the database and its WAL for examination. The original stays untouched.
    private func takeApart() throws {
        try begin()
        for suffix in ["", "-wal"] where try FileTree.entry(layout.database + suffix) != nil {
            try copy(layout.database + suffix, to: damaged + suffix)
        }
    }

    private func copy(_ source: String, to target: String) throws {
        try DurableFile.copy(source, to: target, staging: "\(target).part")
    }

    private func begin() throws {
        try clear()
        try FileTree.makeDirectories(["salvage"], below: layout.root)
    }

    private func clear() throws {
        guard try FileTree.entry(workshop) != nil else { return }
        for name in try FileTree.names(in: workshop) { try FileTree.remove("\(workshop)/\(name)") }
        try FileTree.removeDirectory(workshop)
    }

    /// Prepares the newest intact snapshot, or a new database.
    private func best(instead damage: String) throws -> SalvageReport {
        for snapshot in try SnapshotFolder(layout: layout).all() {
            guard (try? use(snapshot)) == true else { continue }
            return SalvageReport(source: .snapshot, snapshot: snapshot, damage: damage)
        }
        try begin()
        try DurableDatabase(at: candidate, schema: LibrarySchema.current).close()
        try noteDays(afterLoss: true)
        // A second loss must continue with the numbers of this database, as in `use(_:)`.
        try? SnapshotFolder(layout: layout).add(copying: candidate)
        return SalvageReport(source: .originals, snapshot: nil, damage: damage)
    }

    /// Rebuilds the indexes. Returns whether the database is intact then.
    private func rebuild() throws -> Bool {
        try DatabaseFile.rebuild(damaged, to: candidate)
        guard try isWhole() else { return false }
        try noteDays(afterLoss: false)
        return true
    }

    private func use(_ snapshot: LibrarySnapshot) throws -> Bool {
        try begin()
        try copy(snapshot.path, to: candidate)
        guard try isWhole() else { return false }
        try noteDays(afterLoss: true)
        // Otherwise a second loss would give the coming numbers again. If there is no room, the
        // restored library is worth more.
        try? SnapshotFolder(layout: layout).replace(snapshot, by: candidate)
        return true
    }

    private func isWhole() throws -> Bool {
        let isOurs = try DatabaseFile.read(candidate) { db in
            try Int32.fetchOne(db, sql: "PRAGMA application_id")
                == LibrarySchema.current.applicationID
        }
        return try isOurs && DatabaseFile.damage(in: candidate) == nil
    }

    private func noteDays(afterLoss: Bool) throws {
        let days = try LibraryRecovery.days(in: layout)
        try DatabaseFile.edit(candidate) { db in
            try db.inTransaction {
                try LibraryRecovery.note(days, db)
                if afterLoss {
                    // Assets restored since the snapshot must not be purged at their old dates.
                    if try db.columns(in: "asset").contains(where: { $0.name == "purge_at" }) {
                        try db.execute(sql: "UPDATE asset SET purge_at = NULL")
                    }
                    try db.execute(sql: "DELETE FROM change")
                    for table in ["change", "asset", "collection"] { try skip(in: table, db) }
                }
                return .commit
            }
        }
    }

    private func skip(in table: String, _ db: Database) throws {
        let last = try Int64.fetchOne(
            db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table])
        try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [table])
        try db.execute(
            sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
            arguments: [table, (last ?? 0) + Self.skippedNumbers])
    }
}

extension AssetLibrary {
    /// Replaces a damaged database with the best one available; see ``SalvageReport``. The damaged
    /// file goes to the folder quarantine/. The library must not be open.
    /// - Returns: A report; `nil` if the database is intact.
    /// - Throws: `busy`, `full`, `permission`, `readOnly`, `io`. The library is then unchanged, or
    ///   its next open completes the replacement.
    public static func salvage(at path: String) async throws(LibraryError) -> SalvageReport? {
        try await LibraryOpener().salvage(path)
    }
}
