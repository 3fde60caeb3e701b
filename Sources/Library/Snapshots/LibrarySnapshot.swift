// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO
internal import Media
internal import Store

/// A copy of the library's database in the folder snapshots/. It contains no photos.
public struct LibrarySnapshot: Hashable, Sendable, Codable {
    /// The number, higher than that of every earlier snapshot.
    public let number: Int
    /// The path of the copy.
    public let path: String
    /// The time of the copy, as far as the clock was right.
    public let createdAt: WallTime
    /// The size of the copy.
    public let bytes: Int64

    /// A name is `library-000042.sqlite`.
    fileprivate static let prefix = "library-"
    fileprivate static let suffix = ".sqlite"
}

/// The folder snapshots/, which keeps the newest three snapshots.
struct SnapshotFolder {
    let layout: LibraryLayout

    static let kept = 3

    private static let stagingName = "new\(LibraryLayout.stagingSuffix)"
    private var staging: String { "\(layout.snapshots)/\(Self.stagingName)" }

    /// Whether this names a snapshot, an unfinished one, or one of SQLite's files beside them.
    static func isOwn(_ name: String) -> Bool {
        name.hasPrefix(stagingName)
            || name.hasPrefix(LibrarySnapshot.prefix) && name.contains(LibrarySnapshot.suffix)
    }

    /// Returns all snapshots, newest first.
    func all() throws(SystemCallError) -> [LibrarySnapshot] {
        guard try FileTree.entry(layout.snapshots) != nil else { return [] }
        var found: [LibrarySnapshot] = []
        for name in try FileTree.names(in: layout.snapshots) {
            guard name.hasPrefix(LibrarySnapshot.prefix), name.hasSuffix(LibrarySnapshot.suffix),
                let number = Int(
                    name.dropFirst(LibrarySnapshot.prefix.count)
                        .dropLast(LibrarySnapshot.suffix.count)),
                let entry = try FileTree.entry("\(layout.snapshots)/\(name)"), entry.kind == .file
            else { continue }
            found.append(
                LibrarySnapshot(
                    number: number, path: "\(layout.snapshots)/\(name)",
                    createdAt: WallTime(here: entry.modified),
                    bytes: Int64(entry.bytes)))
        }
        return found.sorted { $0.number > $1.number }
    }

    /// Copies the database, checks the copy, and removes the oldest snapshots beyond three.
    /// - Returns: The snapshot; `nil` if nothing changed since the newest one.
    /// - Throws: `damaged` if the database is damaged; the older snapshots stay.
    func add(_ database: DurableDatabase, spare: Int64) throws -> LibrarySnapshot? {
        let before = try all()
        let now = try database.read { db in try AssetLibrary.token(db) }
        let newest = try? before.first.map { try Self.token(in: $0.path) }
        guard now.value > 0, newest != now else { return nil }
        let bytes = Int64(try FileTree.entry(layout.database)?.bytes ?? 0)
        guard bytes <= spare else {
            throw LibraryError(
                .full, "snapshot of \(layout.database): needs \(bytes >> 20) MiB above the reserve")
        }
        try FileTree.makeDirectories(["snapshots"], below: layout.root)
        // Removes what a power cut left of an earlier attempt.
        for leftover in [staging, "\(staging)-journal"] { try FileTree.remove(leftover) }
        do {
            try DatabaseFile.copy(layout.database, to: staging)
            if let damage = try DatabaseFile.damage(in: staging) {
                throw LibraryError(.damaged, "snapshot of \(layout.database): \(damage)")
            }
            try DurableFile.synchronizeContent(of: staging)
            try FileTree.move(staging, to: path(after: before.first))
        } catch {
            try? FileTree.remove(staging)
            throw error
        }
        for old in try all().dropFirst(Self.kept) { try FileTree.remove(old.path) }
        return try all().first
    }

    /// Adds a copy of a database that is not open.
    func add(copying database: String) throws {
        try FileTree.makeDirectories(["snapshots"], below: layout.root)
        try DurableFile.copy(database, to: path(after: all().first), staging: staging)
    }

    private func path(after newest: LibrarySnapshot?) -> String {
        let number = Int64(newest?.number ?? 0) + 1
        return "\(layout.snapshots)/\(LibrarySnapshot.prefix)\(number.padded(6))"
            + LibrarySnapshot.suffix
    }

    /// Replaces a snapshot with a database made from it, and keeps its date.
    func replace(_ snapshot: LibrarySnapshot, by path: String) throws(SystemCallError) {
        try DurableFile.copy(
            path, replacing: snapshot.path, staging: staging,
            modified: snapshot.createdAt.nanoseconds)
    }

    private static func token(in path: String) throws -> ChangeToken {
        try DatabaseFile.read(path) { db in try AssetLibrary.token(db) }
    }
}
