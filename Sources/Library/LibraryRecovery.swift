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
/// the size of the library, and on no clock. A new database over existing originals notes every day.
///
///     begin → (count a day)… → (list a day → read a file… → commit)… → finished
///
/// The work comes in steps of one file or folder, so that a new photo waits for one of them at most; whoever asks
/// for them reads the files, which may take longer than that.
/// A day's note goes with the transaction that gives the last of its files a row: after a crash in the
/// middle the next start goes on there. Adopted photos are in the order of their days and file times
/// among themselves; photos taken meanwhile come in between.
struct LibraryRecovery {
    let layout: LibraryLayout
    let database: DurableDatabase
    private(set) var report = AssetLibrary.Recovery()
    /// Bytes of the largest of the newest photos.
    private(set) var largestPhoto: Int64 = 0
    /// Bytes of a second of the largest movie that was recorded of late.
    private(set) var recordingRate: Int64 = 0
    /// Day folders in which files may still be without a row.
    private(set) var unresolvedDays: Set<String> = []

    init(layout: LibraryLayout, database: DurableDatabase) {
        self.layout = layout
        self.database = database
    }

    /// How many of the newest assets are looked at even after a clean end.
    private static let newestChecked = 64
    /// Files that get their rows in one transaction.
    private static let batch = 16
    /// What opening does itself: enough for what a crash leaves behind.
    private static let openingSteps = 64
    private static let openingFiles = 16
    private static let openingBytes: Int64 = 32 << 20

    private struct Day {
        let path: String
        /// Rows of this day that were added since the note have this sequence or a later one.
        let firstSequence: Int64
        var files = 0
    }

    /// The day at hand.
    private struct Current {
        let day: Day
        /// The next is the last.
        var orphans: [Orphan]
        /// Read, and to be committed.
        var assets: [NewAsset] = []
        /// Likewise: RAWs, which come behind their photos.
        var alternates: [NewAlternate] = []
        /// Whether every orphan could be read.
        var isReadable = true
    }

    private var uncounted: [Day] = []
    private var days: [Day] = []
    private var current: Current?
    private var filesRead = 0
    private var bytesRead: Int64 = 0

    /// Whether ``step(keeping:original:)`` has something left to do.
    var isUnfinished: Bool { !uncounted.isEmpty || !days.isEmpty || current != nil }

    private var next: Orphan? {
        guard uncounted.isEmpty, let current,
            current.assets.count + current.alternates.count < Self.batch
        else { return nil }
        return current.orphans.last
    }

    /// The file that has to be read for the next step; `nil` when none has.
    var nextOriginal: String? { next.map { layout.original($0.path) } }

    /// What the database was put in the place of.
    mutating func note(_ salvage: SalvageReport?) { report.salvage = salvage }

    /// Recordings that were taken in.
    mutating func note(_ adopted: [UUID]) { report.adopted += adopted }

    /// The part that opening waits for.
    mutating func begin() throws(LibraryError) {
        do {
            unresolvedDays = Set(try notedDays().map(\.path))
            // What is left of them is tried again at the next open.
            try? PurgedFiles(layout: layout, database: database).remove()
            try removeLeftovers()
            try noteAllDaysOfNewDatabase()
            let noted = try notedDays()
            unresolvedDays = Set(noted.map(\.path))
            if noted.count > 1 { uncounted = noted.reversed() } else { days = noted }
            if !noted.isEmpty { report.adoption = AssetLibrary.Adoption(done: 0, total: 0) }
            var steps = 0
            while isUnfinished, steps < Self.openingSteps, filesRead < Self.openingFiles,
                bytesRead + (next?.bytes ?? 0) <= Self.openingBytes
            {
                try step(
                    keeping: [], original: nextOriginal.flatMap { try? OriginalFile.scan($0) })
                steps += 1
            }
            try checkNewest()
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

    /// Does the next piece of work: one folder or one file. What throws is done again by the next call.
    ///
    /// - Parameters:
    ///   - kept: Days whose note is needed for what is being added now.
    ///   - original: What ``nextOriginal`` is; `nil` where it cannot be read.
    mutating func step(keeping kept: Set<String>, original: OriginalFile?) throws {
        if let day = uncounted.last {
            count(day)
            uncounted.removeLast()
            // Counted from the last to the first, to be taken from the end again.
            if uncounted.isEmpty { days.reverse() }
        } else if let orphan = next {
            current?.orphans.removeLast()
            take(original, of: orphan)
        } else if let current {
            try commit(current, keeping: kept)
        } else if let day = days.last {
            current = try list(day)
            days.removeLast()
        }
        // A folder without orphans, or the last of them: no step of its own.
        if let current, current.orphans.isEmpty { try commit(current, keeping: kept) }
        if !isUnfinished { report.adoption = nil }
    }

    private mutating func removeLeftovers() throws {
        for name in try FileTree.names(in: layout.incoming)
        where name.hasSuffix(LibraryLayout.stagingSuffix) {
            try FileTree.remove("\(layout.incoming)/\(name)")
            report.leftoversRemoved += 1
        }
    }

    private func notedDays() throws -> [Day] {
        try database.read { db in
            try Row.fetchAll(db, sql: "SELECT path, first_sequence FROM ingest_day ORDER BY path")
                .map { Day(path: $0[0], firstSequence: $0[1]) }
        }
    }

    /// A database that never had an asset may have been made over the originals of a lost one.
    private func noteAllDaysOfNewDatabase() throws {
        let isNew = try database.read { db in
            try Row.fetchOne(db, sql: "SELECT 1 FROM sqlite_sequence WHERE name = 'asset'") == nil
        }
        guard isNew else { return }
        let days = try Self.days(in: layout)
        if !days.isEmpty { try database.write { db in try Self.note(days, db) } }
    }

    /// Day folders that there are.
    static func days(in layout: LibraryLayout) throws(SystemCallError) -> [String] {
        var paths = [""]
        for _ in 0..<3 {
            var deeper: [String] = []
            for path in paths {
                for name in try FileTree.names(in: layout.original(path)) {
                    let child = path.isEmpty ? name : "\(path)/\(name)"
                    let entry = try FileTree.entry(layout.original(child))
                    if entry?.kind == .directory { deeper.append(child) }
                }
            }
            paths = deeper
        }
        return paths
    }

    /// Has every file in these folders looked up by its id: there are no rows to compare with.
    static func note(_ days: [String], _ db: Database) throws {
        for day in days {
            try db.execute(
                sql: "INSERT OR IGNORE INTO ingest_day VALUES (?, ?)",
                arguments: [day, Int64.max])
        }
    }

    private mutating func count(_ day: Day) {
        var day = day
        day.files = (try? FileTree.names(in: layout.original(day.path)).count) ?? 0
        days.append(day)
        report.adoption?.total += day.files
    }

    private mutating func list(_ day: Day) throws -> Current {
        let directory = layout.original(day.path)
        var found = Current(day: day, orphans: [])
        let names: Set<PathName>
        do throws(SystemCallError) {
            guard try FileTree.entry(directory) != nil else { return found }
            names = Set(try FileTree.names(in: directory).map { PathName($0) })
        } catch {
            report.unreadable.append(day.path)
            found.isReadable = false
            return found
        }
        let prefix = "\(day.path)/"
        let rows = try database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT id, path FROM asset WHERE sequence >= ?",
                arguments: [day.firstSequence]
            ).map { (id: $0[0] as String, path: $0[1] as String) }
                .filter { $0.path.hasPrefix(prefix) }
        }
        var known = Set<PathName>()
        for row in rows {
            let name = PathName(row.path.dropFirst(prefix.count))
            known.insert(name)
            guard let id = UUID(uuidString: row.id) else { continue }
            if !names.contains(name), !report.missing.contains(id) { report.missing.append(id) }
            try removeEmptyThumbnail(of: id)
        }
        var search = OrphanSearch(layout: layout, database: database)
        found.orphans = try search.orphans(among: names.subtracting(known), day: day.path)
            .reversed()
        report.foreign += search.foreign
        // Their names may not be on the medium yet; the rows must not get there first.
        if !found.orphans.isEmpty { try DurableFile.synchronizeDirectory(directory) }
        report.adoption?.total += names.count - day.files
        report.adoption?.done += names.count - found.orphans.count
        return found
    }

    /// Thumbnails are written without waiting for the medium: after a power cut there may be a name and no
    /// content. They are made again.
    private func removeEmptyThumbnail(of id: UUID) throws {
        let path = layout.thumbnail(id)
        if try FileTree.entry(path)?.bytes == 0 { try FileTree.remove(path) }
    }

    /// The time of the last write, unless the folder names another date: then that date's midnight.
    static func date(of entry: FileTree.Entry, in day: String) -> WallTime {
        let modified = WallTime(
            nanoseconds: entry.modified, utcOffsetSeconds: Clock.utcOffset(at: entry.modified))
        let date = day.split(separator: "/").joined(separator: "-")
        guard let midnight = WallTime("\(date)T00:00:00.000+00:00") else { return modified }
        // A day in any time zone, and the hour that a clock was put forward or back.
        let hours = (modified.nanoseconds - midnight.nanoseconds) / 3_600_000_000_000
        return (-15...39).contains(hours) ? modified : midnight
    }

    private mutating func take(_ file: OriginalFile?, of orphan: Orphan) {
        filesRead += 1
        report.adoption?.done += 1
        guard let file else {
            report.unreadable.append(orphan.path)
            current?.isReadable = false
            return
        }
        bytesRead += file.bytes
        if orphan.isRaw {
            current?.alternates.append(
                NewAlternate(
                    asset: orphan.id, fileExtension: orphan.fileExtension, bytes: file.bytes,
                    sha256: file.sha256))
            return
        }
        current?.assets.append(
            NewAsset(
                adopting: file, id: orphan.id, path: orphan.path,
                fileExtension: orphan.fileExtension, modified: orphan.modified))
    }

    /// Makes assets of what was read; with the last of a day takes its note back.
    private mutating func commit(_ part: Current, keeping kept: Set<String>) throws {
        let now = Clock.wall
        let day = part.day.path
        let isEnd = part.orphans.isEmpty
        let isResolved = isEnd && part.isReadable
        let adopted = try database.write { db in
            var adopted: [UUID] = []
            for var asset in part.assets
            // Somebody may have added the same photo again in the meantime.
            where try !AssetRow.isThere(db, asset.id) {
                if let recording = try RecordingRow.fetch(asset.id, db) {
                    asset.complete(with: recording)
                    try RecordingRow.delete(asset.id, db)
                }
                _ = try asset.insert(db, origin: .recovery, now: now)
                adopted.append(asset.id)
            }
            var transaction = ChangeTransaction(db, .recovery, now)
            for alternate in part.alternates { _ = try transaction.attach(alternate) }
            if isResolved && !kept.contains(day) {
                try db.execute(sql: "DELETE FROM ingest_day WHERE path = ?", arguments: [day])
            }
            return adopted
        }
        report.adopted += adopted
        current?.assets = []
        current?.alternates = []
        if isEnd { current = nil }
        if isResolved { unresolvedDays.remove(day) }
    }

    /// Looks whether what came last is there, and what is to be expected of what comes next.
    private mutating func checkNewest() throws {
        let rows = try database.read { db in
            try AssetRow.fetch(
                db, "ORDER BY sequence DESC LIMIT ?", [LibraryRecovery.newestChecked])
        }
        let photos = rows.filter { $0.asset.mediaType == .photo }
        largestPhoto = photos.map { $0.files.reduce(0) { $0 + $1.bytes } }.max() ?? 0
        // What was imported has no camera.
        recordingRate =
            rows.lazy.map(\.asset).filter { $0.deviceName != nil }.compactMap(\.recordingRate).max()
            ?? 0
        for row in rows where !report.missing.contains(row.asset.id) {
            let isWhole = try row.files.allSatisfy {
                try FileTree.entry(layout.original($0.path)) != nil
            }
            if !isWhole { report.missing.append(row.asset.id) }
        }
    }
}

extension NewAsset {
    /// With what the file itself says, in EXIF or a movie's tags. How far its clock could be trusted stood in
    /// the row that is lost, as did whether its time had been corrected.
    init(
        adopting file: OriginalFile, id: UUID, path: String, fileExtension: String,
        modified: WallTime
    ) {
        let exif = file.beginning?.metadata
        let time = exif.flatMap { WallTime($0.time) }
        self.init(
            id: id, path: path, fileExtension: fileExtension, bytes: file.bytes,
            sha256: file.sha256, createdAt: time ?? modified,
            timeConfidence: .unknown,
            width: file.beginning?.dimensions?.width ?? 0,
            height: file.beginning?.dimensions?.height ?? 0,
            orientation: file.beginning?.orientation ?? 1, recovered: true)
        location = file.beginning?.location ?? file.movie?.location
        if ["mp4", "mov", "mkv", "webm"].contains(fileExtension) { mediaType = .video }
        if let movie = file.movie {
            width = movie.dimensions.width
            height = movie.dimensions.height
            orientation = movie.orientation.rawValue
            duration = MediaTime(nanoseconds: movie.duration)
        }
    }

    /// With what was noted when it began to be recorded.
    mutating func complete(with recording: NewRecording) {
        createdAt = recording.createdAt
        timeConfidence = recording.timeConfidence
        (bootID, boottime) = (recording.bootID, recording.boottime)
        (deviceName, sessionID) = (recording.deviceName, recording.sessionID)
        location = recording.location
        mediaSubtypes.formUnion(recording.mediaSubtypes)
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
