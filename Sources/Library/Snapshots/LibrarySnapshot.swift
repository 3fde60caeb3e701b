// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO
internal import Media
internal import Store

/// A copy of the library's database in its folder snapshots/: what is known of the photos, not their files.
public struct LibrarySnapshot: Hashable, Sendable, Codable {
    /// Higher than those of all that were taken before.
    public let number: Int
    /// Where it is.
    public let path: String
    /// When it was taken, as far as the clock was right.
    public let createdAt: WallTime
    /// Of the copy.
    public let bytes: Int64

    /// `library-000042.sqlite`
    fileprivate static let prefix = "library-"
    fileprivate static let suffix = ".sqlite"
}

/// The folder snapshots/, in which the newest three are kept.
struct SnapshotFolder {
    let layout: LibraryLayout

    static let kept = 3

    private static let stagingName = "new\(LibraryLayout.stagingSuffix)"
    private var staging: String { "\(layout.snapshots)/\(Self.stagingName)" }

    /// Whether a file of this name is one, or becomes one, or is SQLite's beside that.
    static func isOwn(_ name: String) -> Bool {
        name.hasPrefix(stagingName)
            || name.hasPrefix(LibrarySnapshot.prefix) && name.contains(LibrarySnapshot.suffix)
    }

    /// The newest first.
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
                    createdAt: WallTime(
                        nanoseconds: entry.modified,
                        utcOffsetSeconds: Clock.utcOffset(at: entry.modified)),
                    bytes: Int64(entry.bytes)))
        }
        return found.sorted { $0.number > $1.number }
    }

    /// Copies the database there, looks whether the copy is whole, and takes away what is too many then.
    ///
    /// - Returns: `nil` when nothing has happened since the newest.
    /// - Throws: `damaged` when the database is: the older ones stay.
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
        // What a power cut has left of an earlier try.
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

    /// Copies a database there that nobody has open.
    func add(copying database: String) throws {
        try FileTree.makeDirectories(["snapshots"], below: layout.root)
        try DurableFile.copy(database, to: path(after: all().first), staging: staging)
    }

    private func path(after newest: LibrarySnapshot?) -> String {
        let number = Int64(newest?.number ?? 0) + 1
        return "\(layout.snapshots)/\(LibrarySnapshot.prefix)\(number.padded(6))"
            + LibrarySnapshot.suffix
    }

    /// Puts what was made of a snapshot in its place, as old as that.
    func replace(_ snapshot: LibrarySnapshot, by path: String) throws(SystemCallError) {
        try DurableFile.copy(
            path, replacing: snapshot.path, staging: staging,
            modified: snapshot.createdAt.nanoseconds)
    }

    private static func token(in path: String) throws -> ChangeToken {
        try DatabaseFile.read(path) { db in try AssetLibrary.token(db) }
    }
}
