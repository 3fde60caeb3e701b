// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Media
internal import Store

/// Brings the folder and the database back in step after an end without close.
///
/// Only a day folder noted in `ingest_day` can hold files without a row, because the note is
/// committed before the first file gets a name there. The work therefore depends on one day's
/// photos, and neither on the size of the library nor on a clock. A new database over existing
/// originals notes every day.
///
///     begin → (count a day)… → (list a day → read a file… → commit)… → finished
///
/// Each step handles one file or folder, so a new photo waits for at most one. The caller reads the
/// files, which may take longer.
///
/// The transaction that adds the last row of a day deletes the day's note. After a crash the next
/// open resumes there. Adopted photos are ordered by day and file time; new photos come in between.
struct LibraryRecovery {
    let layout: LibraryLayout
    let database: DurableDatabase
    private(set) var report = AssetLibrary.Recovery()
    /// Bytes of the largest of the newest photos.
    private(set) var largestPhoto: Int64 = 0
    /// Bytes per second of the largest movie among the newest assets.
    private(set) var recordingRate: Int64 = 0
    /// Day folders in which files may still lack a row.
    private(set) var unresolvedDays: Set<String> = []

    init(layout: LibraryLayout, database: DurableDatabase) {
        self.layout = layout
        self.database = database
    }

    /// The number of newest assets that are checked even after a clean end.
    private static let newestChecked = 64
    /// The number of files that get their rows in one transaction.
    private static let batch = 16
    /// Limits of the work that opening waits for: enough for what a crash leaves behind.
    private static let openingSteps = 64
    private static let openingFiles = 16
    private static let openingBytes: Int64 = 32 << 20

    private struct Day {
        let path: String
        /// A lower bound: every row of this day added since the note has at least this sequence.
        let firstSequence: Int64
        var files = 0
    }

    private struct Current {
        let day: Day
        /// The files still to be read. The next one is the last.
        var orphans: [Orphan]
        /// Assets whose files were read, for the next commit.
        var assets: [NewAsset] = []
        /// RAWs that were read, for the next commit. They come after their photos.
        var alternates: [NewAlternate] = []
        /// Whether every orphan so far could be read.
        var isReadable = true
    }

    private var uncounted: [Day] = []
    private var days: [Day] = []
    private var current: Current?
    private var filesRead = 0
    private var bytesRead: Int64 = 0

    /// Whether ``step(keeping:original:)`` has work left.
    var isUnfinished: Bool { !uncounted.isEmpty || !days.isEmpty || current != nil }

    private var next: Orphan? {
        guard uncounted.isEmpty, let current,
            current.assets.count + current.alternates.count < Self.batch
        else { return nil }
        return current.orphans.last
    }

    /// The path of the file that the next step needs; `nil` if it needs none.
    var nextOriginal: String? { next.map { layout.original($0.path) } }

    mutating func note(_ salvage: SalvageReport?) { report.salvage = salvage }

    /// Records adopted recordings.
    mutating func note(_ adopted: [UUID]) { report.adopted += adopted }

    /// Does the part of the recovery that opening waits for.
    mutating func begin() throws(LibraryError) {
        do {
            unresolvedDays = Set(try notedDays().map(\.path))
            // Files that cannot be removed now are tried again at the next open.
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
            // A full disk still allows reading and exporting. The notes stay for the next open.
            guard error.code != .full else { return }
            throw LibraryError(error)
        } catch {
            throw LibraryError(.io, "library \(layout.root): \(error)", underlying: error)
        }
    }

    /// Does the next piece of work: one folder or one file. If it throws, the next call repeats it.
    /// - Parameters:
    ///   - kept: Days whose note is needed for files being added now.
    ///   - original: The content of ``nextOriginal``; `nil` if it cannot be read.
    mutating func step(keeping kept: Set<String>, original: OriginalFile?) throws {
        if let day = uncounted.last {
            count(day)
            uncounted.removeLast()
            // `days` is read from its end, so the oldest day comes last.
            if uncounted.isEmpty { days.reverse() }
        } else if let orphan = next {
            current?.orphans.removeLast()
            adopt(original, of: orphan)
        } else if let current {
            try commit(current, keeping: kept)
        } else if let day = days.last {
            current = try list(day)
            days.removeLast()
        }
        // Listing a folder without orphans, or reading the last orphan, includes the commit.
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

    /// Notes every day if the database never had an asset: it may replace a lost one.
    private func noteAllDaysOfNewDatabase() throws {
        let isNew = try database.read { db in
            try Row.fetchOne(db, sql: "SELECT 1 FROM sqlite_sequence WHERE name = 'asset'") == nil
        }
        guard isNew else { return }
        let days = try Self.days(in: layout)
        if !days.isEmpty { try database.write { db in try Self.note(days, db) } }
    }

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

    /// Notes days so that each of their files is looked up by id: no row has so high a sequence.
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
                db,
                sql: """
                    SELECT id, path, EXISTS (
                        SELECT 1 FROM evicted_original WHERE evicted_original.asset = sequence)
                    FROM asset WHERE sequence >= ?
                    """, arguments: [day.firstSequence]
            ).map { (id: $0[0] as String, path: $0[1] as String, isRemoteOnly: $0[2] as Bool) }
                .filter { $0.path.hasPrefix(prefix) }
        }
        var known = Set<PathName>()
        for row in rows {
            let name = PathName(row.path.dropFirst(prefix.count))
            known.insert(name)
            guard let id = UUID(uuidString: row.id) else { continue }
            if !names.contains(name), !row.isRemoteOnly, !report.missing.contains(id) {
                report.missing.append(id)
            }
            try removeEmptyThumbnail(of: id)
        }
        var search = OrphanSearch(layout: layout, database: database)
        found.orphans = try search.orphans(among: names.subtracting(known), day: day.path)
            .reversed()
        report.foreign += search.foreign
        // Makes the files' names durable, which must not happen after their rows.
        if !found.orphans.isEmpty { try DurableFile.synchronizeDirectory(directory) }
        report.adoption?.total += names.count - day.files
        report.adoption?.done += names.count - found.orphans.count
        return found
    }

    /// Removes a thumbnail without content, so that it is made again. Thumbnails are written
    /// without fsync, so a power cut can leave only the name.
    private func removeEmptyThumbnail(of id: UUID) throws {
        let path = layout.thumbnail(id)
        if try FileTree.entry(path)?.bytes == 0 { try FileTree.remove(path) }
    }

    /// Returns the time of the last write, or midnight of the folder's date if that is another day.
    static func date(of entry: FileTree.Entry, in day: String) -> WallTime {
        let modified = WallTime(here: entry.modified)
        let date = day.split(separator: "/").joined(separator: "-")
        guard let midnight = WallTime("\(date)T00:00:00.000+00:00") else { return modified }
        // Covers a day in any time zone, and an hour by which a clock was changed.
        let hours = (modified.nanoseconds - midnight.nanoseconds) / 3_600_000_000_000
        return (-15...39).contains(hours) ? modified : midnight
    }

    private mutating func adopt(_ file: OriginalFile?, of orphan: Orphan) {
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

    /// Inserts the rows of the files that were read. The last commit of a day deletes its note.
    private mutating func commit(_ part: Current, keeping kept: Set<String>) throws {
        let now = Clock.wall
        let day = part.day.path
        let isEnd = part.orphans.isEmpty
        let isResolved = isEnd && part.isReadable
        let adopted = try database.write { db in
            var adopted: [UUID] = []
            for var asset in part.assets
            // The same photo may have been added again meanwhile.
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

    /// Checks that the files of the newest assets exist, and finds their largest photo and movie.
    private mutating func checkNewest() throws {
        let rows = try database.read { db in
            try AssetRow.fetch(
                db, "ORDER BY sequence DESC LIMIT ?", [LibraryRecovery.newestChecked])
        }
        let photos = rows.filter { $0.asset.mediaType == .photo }
        largestPhoto = photos.map { $0.files.reduce(0) { $0 + $1.bytes } }.max() ?? 0
        // Imported assets have no camera.
        recordingRate =
            rows.lazy.map(\.asset).filter { $0.deviceName != nil }.compactMap(\.recordingRate).max()
            ?? 0
        for row in rows
        where !row.asset.isRemoteOnly && !report.missing.contains(row.asset.id) {
            let isWhole = try row.files.allSatisfy {
                try FileTree.entry(layout.original($0.path)) != nil
            }
            if !isWhole { report.missing.append(row.asset.id) }
        }
    }
}

extension NewAsset {
    /// Creates an asset from EXIF or a movie's tags. The confidence of its time and any correction
    /// were in the row that is lost.
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

    /// Adds the properties that were noted when the recording began.
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
    /// Deletes the notes of all day folders except `kept`.
    static func forgetDays(_ db: Database, except kept: Set<String>) throws {
        for path in try String.fetchAll(db, sql: "SELECT path FROM ingest_day")
        where !kept.contains(path) {
            try db.execute(sql: "DELETE FROM ingest_day WHERE path = ?", arguments: [path])
        }
    }
}
