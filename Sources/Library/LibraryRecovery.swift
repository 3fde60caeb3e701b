// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Media
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
    /// Bytes of the largest of the newest photos.
    private(set) var largestPhoto: Int64 = 0
    /// Day folders in which files may still be without a row.
    private(set) var unresolvedDays: Set<String> = []

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

    mutating func run() throws(LibraryError) {
        do {
            try removeLeftovers()
            try noteAllDaysOfNewDatabase()
            var unfinished: Set<String> = []
            let days = try notedDays()
            unresolvedDays = Set(days.map(\.0))
            for (day, first) in days {
                let isFinished = try recover(day: day, rowsFrom: first)
                if !isFinished { unfinished.insert(day) }
            }
            try checkNewest()
            if days.count > unfinished.count {
                try database.write { db in
                    try LibraryOpener.forgetDays(db, except: unfinished)
                }
                unresolvedDays = unfinished
            }
        } catch let error as SystemCallError {
            throw LibraryError("library \(layout.root)", error)
        } catch let error as StoreError {
            // What was stored can still be looked at and exported; the notes stay for the next open.
            guard error.code != .full else { return }
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

    /// A database that never had an asset may have been made over the originals of a lost one.
    private func noteAllDaysOfNewDatabase() throws {
        let isNew = try database.read { db in
            try Row.fetchOne(db, sql: "SELECT 1 FROM sqlite_sequence WHERE name = 'asset'") == nil
        }
        guard isNew else { return }
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
        guard !paths.isEmpty else { return }
        try database.write { db in
            for path in paths {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO ingest_day VALUES (?, 1)", arguments: [path])
            }
        }
    }

    /// Answers whether every file of ours in the folder has its row now.
    private mutating func recover(day: String, rowsFrom first: Int64) throws -> Bool {
        let directory = layout.original(day)
        guard try DurableFileTree.entry(directory) != nil else { return true }
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
        guard !orphans.isEmpty else { return true }
        // Their names may not be on the medium yet; the rows must not get there first.
        try DurableFile.synchronizeDirectory(directory)
        var isFinished = true
        for start in stride(from: 0, to: orphans.count, by: 64) {
            let isAdopted = try adopt(orphans[start..<min(start + 64, orphans.count)])
            isFinished = isFinished && isAdopted
        }
        return isFinished
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
                    modified: LibraryRecovery.date(of: entry, in: day)))
        }
        // Rows from before the note are only looked up, never read all.
        let unknown = try database.read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM asset WHERE id = ?")
            var ids = Set<UUID>()
            return try found.filter {
                let isKnown = try Int.fetchOne(statement, arguments: [$0.id.text]) != nil
                return !isKnown && ids.insert($0.id).inserted
            }
        }
        return unknown.sorted {
            ($0.modified.nanoseconds, $0.path) < ($1.modified.nanoseconds, $1.path)
        }
    }

    /// The time of the last write, unless the folder names another date: then that date's midnight.
    static func date(of entry: DurableFileTree.Entry, in day: String) -> WallTime {
        let modified = WallTime(
            nanoseconds: entry.modified, utcOffsetSeconds: entry.modifiedUTCOffset)
        let date = day.split(separator: "/").joined(separator: "-")
        guard let midnight = WallTime("\(date)T00:00:00.000+00:00") else { return modified }
        // A day in any time zone, and the hour that a clock was put forward or back.
        let hours = (modified.nanoseconds - midnight.nanoseconds) / 3_600_000_000_000
        return (-15...39).contains(hours) ? modified : midnight
    }

    /// Answers whether all of them could be read.
    private mutating func adopt(_ orphans: ArraySlice<Found>) throws -> Bool {
        let now = Clock.wall
        var assets: [NewAsset] = []
        for orphan in orphans {
            guard let file = try? OriginalFile.scan(layout.original(orphan.path)) else {
                report.unreadable.append(orphan.path)
                continue
            }
            assets.append(
                NewAsset(
                    adopting: file, id: orphan.id, path: orphan.path,
                    fileExtension: orphan.fileExtension, modified: orphan.modified))
        }
        try database.write { db in
            for asset in assets { _ = try asset.insert(db, origin: "recovery", now: now) }
        }
        report.adopted += assets.map(\.id)
        return assets.count == orphans.count
    }

    private mutating func checkNewest() throws {
        let rows = try database.read { db in
            try AssetRow.fetch(
                db, "ORDER BY sequence DESC LIMIT ?", [LibraryRecovery.newestChecked])
        }
        largestPhoto = rows.map(\.asset.bytes).max() ?? 0
        for row in rows where !report.missing.contains(row.asset.id) {
            if try DurableFileTree.entry(layout.original(row.path)) == nil {
                report.missing.append(row.asset.id)
            }
        }
    }
}

extension NewAsset {
    /// With what the file's own EXIF says. Its time was right once, if the EXIF is this photo's; it may
    /// have been corrected in the row that is lost.
    fileprivate init(
        adopting file: OriginalFile, id: UUID, path: String, fileExtension: String,
        modified: WallTime
    ) {
        let exif = file.beginning?.metadata
        let time = exif.flatMap { WallTime($0.time) }
        let isOwn = exif?.imageUniqueID?.lowercased() == id.text.filter { $0 != "-" }
        self.init(
            id: id, path: path, fileExtension: fileExtension, bytes: file.bytes,
            sha256: file.sha256, createdAt: time ?? modified,
            timeConfidence: time != nil && isOwn ? .estimated : .unknown,
            width: file.beginning?.dimensions?.width ?? 0,
            height: file.beginning?.dimensions?.height ?? 0,
            orientation: file.beginning?.orientation ?? 1, recovered: true)
    }
}

extension WallTime {
    /// `nil` for times that no row can hold: before 1678 or after 2261.
    fileprivate init?(_ time: PictureTime) {
        let (whole, isTooLarge) = time.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(Int64(time.nanoseconds))
        if isTooLarge || isOver { return nil }
        self.init(nanoseconds: sum, utcOffsetSeconds: time.utcOffsetSeconds)
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
