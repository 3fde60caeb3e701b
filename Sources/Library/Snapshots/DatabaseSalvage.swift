// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO
internal import Store

/// What was put in the place of a damaged database.
public struct SalvageReport: Hashable, Sendable, Codable {
    /// From the best to the worst.
    public enum Source: String, Sendable, Codable, CaseIterable {
        /// The damaged one with its indexes made anew: nothing is lost.
        case indexes
        /// The newest snapshot that is whole: of later photos only what their files say is known.
        case snapshot
        /// An empty one: of all photos only what their files say is known.
        case originals
    }

    /// Where what is known of the photos comes from.
    public let source: Source
    /// For ``Source/snapshot``.
    public let snapshot: LibrarySnapshot?
    /// What SQLite found.
    public let damage: String

    /// What is there now, and what is lost, for a person.
    public var summary: String {
        switch source {
        case .indexes: "its indexes were made anew, nothing is lost"
        case .snapshot:
            "the snapshot of \(snapshot.map { "\($0.createdAt)" } ?? "?") is in its place; every photo is "
                + "there, what was changed since then is lost"
        case .originals:
            "a new one is in its place; every photo is there, but no album, caption or favourite"
        }
    }
}

/// Puts the best that can be had in the place of a damaged database, which goes to the folder quarantine/.
/// Originals without a row in the new one are taken in when the library is opened.
///
///     look → build apart → library.restored.sqlite → (quarantine the damaged) → library.sqlite
///
/// Once `library.restored.sqlite` has its name, whoever opens the library next finishes what a crash cut off.
struct DatabaseSalvage {
    let layout: LibraryLayout

    private var workshop: String { "\(layout.root)/salvage" }
    private var damaged: String { "\(workshop)/damaged.sqlite" }
    private var candidate: String { "\(workshop)/library.sqlite" }
    /// Numbers that were given since the snapshot, or may have been: tokens of changes, sequences of assets, albums.
    /// None of them is given again, and what is asked for since an older token has expired.
    private static let skippedNumbers: Int64 = 1_000_000

    /// Whether there is no database, but snapshots of one.
    var isLost: Bool {
        get throws {
            guard try FileTree.entry(layout.database)?.bytes ?? 0 == 0 else { return false }
            return try !SnapshotFolder(layout: layout).all().isEmpty
        }
    }

    /// - Returns: `nil` for a database that is whole, or where there is nothing to put in its place.
    func run() throws -> SalvageReport? {
        try finish()
        defer { try? clear() }
        let report: SalvageReport
        if try isLost {
            report = try best(instead: "it is gone")
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

    /// Puts a finished database in its place.
    func finish() throws {
        guard try FileTree.entry(layout.restoredDatabase) != nil else { return }
        for path in ["library.sqlite", "library.sqlite-wal"]
        where try FileTree.entry("\(layout.root)/\(path)") != nil {
            _ = try layout.quarantine(path)
        }
        try FileTree.remove("\(layout.database)-shm")
        try FileTree.move(layout.restoredDatabase, to: layout.database)
    }

    /// A copy to look into: with its WAL, and nothing happens to the original.
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

    /// The newest snapshot that is whole, or a new database.
    private func best(instead damage: String) throws -> SalvageReport {
        for snapshot in try SnapshotFolder(layout: layout).all() {
            guard (try? use(snapshot)) == true else { continue }
            return SalvageReport(source: .snapshot, snapshot: snapshot, damage: damage)
        }
        try begin()
        try DurableDatabase(at: candidate, schema: LibrarySchema.current).close()
        try noteDays(afterLoss: true)
        // As of a snapshot that was used: the numbers go on from here.
        try? SnapshotFolder(layout: layout).add(copying: candidate)
        return SalvageReport(source: .originals, snapshot: nil, damage: damage)
    }

    /// Whether that is all it needed.
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
        // Else a second loss would give the numbers that come now once more. Where there is no room for it,
        // being back counts for more.
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
                    // What was restored since must not go by a date from before.
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
    /// Puts the best that can be had in the place of a damaged database, see ``SalvageReport``; the damaged one
    /// goes to the folder quarantine/. The library must not be open.
    ///
    /// - Returns: `nil` for a database that is whole.
    /// - Throws: `busy`, `full`, `permission`, `readOnly`, `io`; the library is as it was then, or what was begun is
    ///   finished when it is opened.
    public static func salvage(at path: String) async throws(LibraryError) -> SalvageReport? {
        try await LibraryOpener().salvage(path)
    }
}
