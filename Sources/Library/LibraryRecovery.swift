// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

/// Puts folder and database in step again after an end without close.
///
/// A file may be without a row only in a day folder that `ingest_day` notes, because the note is
/// committed before the first file gets a name there. So the work depends on one day's photos, not on
/// the size of the library, and on no clock. A new database over existing originals looks everywhere.
struct LibraryRecovery {
    let layout: LibraryLayout
    let database: DurableDatabase
    private(set) var report = AssetLibrary.Recovery()

    init(layout: LibraryLayout, database: DurableDatabase) {
        self.layout = layout
        self.database = database
    }

    /// How many of the newest assets are looked at even after a clean end.
    private static let newestChecked = 64

    private struct Found {
        let path: String
        let id: UUID
        let fileExtension: String
        let modified: WallTime
    }

    mutating func run(isNew: Bool) throws(LibraryError) {
        do {
            try removeLeftovers()
            let days = try isNew ? allDays() : notedDays()
            for (day, first) in days { try recover(day: day, rowsFrom: first) }
            try checkNewest()
            if !days.isEmpty {
                try database.write { db in try LibraryOpener.forgetDays(db, except: []) }
            }
        } catch let error as SystemCallError {
            throw LibraryError("library \(layout.root)", error)
        } catch let error as StoreError {
            throw LibraryError(error)
        } catch {
            throw LibraryError(.io, "library \(layout.root): \(error)", underlying: error)
        }
    }

    private mutating func removeLeftovers() throws {
        for name in try DurableFileTree.names(in: layout.incoming)
        where name.hasSuffix(LibraryLayout.stagingSuffix) {
            try DurableFileTree.remove("\(layout.incoming)/\(name)")
            report.leftoversRemoved += 1
        }
    }

    private func notedDays() throws -> [(String, Int64)] {
        try database.read { db in
            try Row.fetchAll(db, sql: "SELECT path, first_sequence FROM ingest_day ORDER BY path")
                .map { ($0[0], $0[1]) }
        }
    }

    private func allDays() throws -> [(String, Int64)] {
        var paths = [""]
        for _ in 0..<3 {
            var deeper: [String] = []
            for path in paths {
                for name in try DurableFileTree.names(in: layout.original(path)) {
                    let child = path.isEmpty ? name : "\(path)/\(name)"
                    let entry = try DurableFileTree.entry(layout.original(child))
                    if entry?.kind == .directory { deeper.append(child) }
                }
            }
            paths = deeper
        }
        return paths.sorted().map { ($0, 1) }
    }

    private mutating func recover(day: String, rowsFrom first: Int64) throws {
        let directory = layout.original(day)
        guard try DurableFileTree.entry(directory) != nil else { return }
        let names = Set(try DurableFileTree.names(in: directory))
        let prefix = "\(day)/"
        let rows = try database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT id, path FROM asset WHERE sequence >= ?", arguments: [first]
            ).map { (id: $0[0] as String, path: $0[1] as String) }
                .filter { $0.path.hasPrefix(prefix) }
        }
        var known = Set<String>()
        for row in rows {
            let name = String(row.path.dropFirst(prefix.count))
            known.insert(name)
            if !names.contains(name), let id = UUID(uuidString: row.id) {
                report.missing.append(id)
            }
        }
        let orphans = try orphans(among: names.subtracting(known), day: day)
        guard !orphans.isEmpty else { return }
        // Their names may not be on the medium yet; the rows must not get there first.
        try DurableFile.synchronizeDirectory(directory)
        try adopt(orphans)
    }

    private mutating func orphans(among names: Set<String>, day: String) throws -> [Found] {
        var found: [Found] = []
        for name in names.sorted() {
            let path = "\(day)/\(name)"
            guard let parsed = LibraryLayout.parse(originalName: name),
                let entry = try DurableFileTree.entry(layout.original(path)),
                entry.kind == .file, entry.bytes > 0
            else {
                report.foreign.append(path)
                continue
            }
            found.append(
                Found(
                    path: path, id: parsed.id, fileExtension: parsed.fileExtension,
                    modified: WallTime(
                        nanoseconds: entry.modified, utcOffsetSeconds: entry.modifiedUTCOffset)))
        }
        // Rows from before the note are only looked up, never read all.
        let unknown = try database.read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM asset WHERE id = ?")
            return try found.filter {
                try Int.fetchOne(statement, arguments: [$0.id.text]) == nil
            }
        }
        return unknown.sorted {
            ($0.modified.nanoseconds, $0.path) < ($1.modified.nanoseconds, $1.path)
        }
    }

    private mutating func adopt(_ orphans: [Found]) throws {
        let now = Clock.wall
        for orphan in orphans {
            let file = try OriginalFile.scan(layout.original(orphan.path))
            let new = NewAsset(
                id: orphan.id, path: orphan.path, fileExtension: orphan.fileExtension,
                bytes: file.bytes, sha256: file.sha256,
                createdAt: orphan.modified, timeConfidence: .unknown, width: file.width,
                height: file.height,
                recovered: true)
            try database.write { db in _ = try new.insert(db, origin: "recovery", now: now) }
            report.adopted.append(orphan.id)
        }
    }

    private mutating func checkNewest() throws {
        let rows = try database.read { db in
            try AssetRow.fetch(
                db, "ORDER BY sequence DESC LIMIT ?", [LibraryRecovery.newestChecked])
        }
        for row in rows where !report.missing.contains(row.asset.id) {
            if try DurableFileTree.entry(layout.original(row.path)) == nil {
                report.missing.append(row.asset.id)
            }
        }
    }
}

extension LibraryOpener {
    /// Takes back the notes of day folders in which every file has its row.
    static func forgetDays(_ db: Database, except kept: Set<String>) throws {
        for path in try String.fetchAll(db, sql: "SELECT path FROM ingest_day")
        where !kept.contains(path) {
            try db.execute(sql: "DELETE FROM ingest_day WHERE path = ?", arguments: [path])
        }
    }
}
