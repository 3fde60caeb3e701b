// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
public import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Media

/// Movies become assets in three steps, and whatever comes in between, what was recorded is kept:
///
///     beginRecording     a row in `recording`
///     (the recorder)     incoming/<id>.mp4 grows, and is finished
///     finishRecording    the file gets its place, and the asset takes the place of the row
///
/// What a crash has left is mended and taken in when the library is opened next; what a full disk has, as soon as there is
/// room.
extension AssetLibrary {
    /// What must be free above the reserve for a movie to begin: ten seconds of it, as far as that is known.
    var recordingRoom: Int64 { max(Self.leastRecordingRoom, recordingRate * 10) }
    private static let leastRecordingRoom: Int64 = 16 << 20

    /// Notes a movie that is to be recorded.
    ///
    /// - Returns: where its file goes; nothing is there yet.
    /// - Throws: `full` where there is not room for some seconds above the reserve; `readOnly`, `io`, `closed`.
    public func beginRecording(_ new: NewRecording) throws(LibraryError) -> String {
        try requireWritable()
        // Of what is not recorded as it happens, nobody knows the rate.
        try requireSpace(new.mediaSubtypes.isEmpty ? recordingRoom : Self.leastRecordingRoom)
        try databaseWrite { db in try RecordingRow.insert(new, db) }
        return layout.recording(new.id)
    }

    /// Makes an asset of a movie whose file is complete, and returns when that survives a power cut. One that was not
    /// finished is.
    ///
    /// - Throws: `notFound` without the file; `unsupported` where no player would find a picture in it; `full`, `io`,
    ///   `readOnly`, `closed`: the next ``admission(probing:)`` or open tries again.
    public nonisolated func finishRecording(
        _ movie: RecordedMovie
    ) async throws(LibraryError) -> Asset {
        let id = movie.recording.id
        do throws(LibraryError) {
            let path = layout.recording(id)
            var file = try await scan(id)
            if file.movie == nil, try await isMended(path) {
                file = try await scan(id)
            }
            return try await take(movie, file, at: path, origin: .capture)
        } catch {
            await leave(id)
            throw error
        }
    }

    private nonisolated func scan(_ id: UUID) async throws(LibraryError) -> OriginalFile {
        do {
            return try await reader.scan(layout.recording(id))
        } catch {
            throw LibraryError("recording \(id.text)", error)
        }
    }

    /// Finishes what is no finished movie.
    ///
    /// - Returns: whether it did; `false` for one that is too long to be looked through.
    private nonisolated func isMended(_ path: String) async throws(LibraryError) -> Bool {
        do {
            if try await reader.mend(path) != nil { return true }
        } catch {
            if error.isFileTooLarge { return false }
            throw LibraryError("recording \(path)", error)
        }
        throw LibraryError(.unsupported, "\(path): no movie is in it")
    }

    /// Forgets a movie of which nothing was recorded; one whose file can be played is taken in by the next
    /// ``admission(probing:)`` or open.
    public nonisolated func abandonRecording(_ id: UUID) async throws(LibraryError) {
        do throws(LibraryError) {
            try await abandon(id)
        } catch {
            await leave(id)
            throw error
        }
    }

    private nonisolated func abandon(_ id: UUID) async throws(LibraryError) {
        let path = layout.recording(id)
        do {
            if try await reader.entry(path) != nil {
                if try await reader.mend(path) != nil { return await leave(id) }
                try FileTree.remove(path)
            }
        } catch {
            throw LibraryError("recording \(id.text)", error)
        }
        try await forget(id)
    }

    private func leave(_ id: UUID) { recordingsLeft.insert(id) }

    /// A medium that has failed may have errors to tell yet when it works again.
    private static let mostFailures = 5

    private func mayTryAgain(_ id: UUID, after error: any Error) -> Bool {
        if (error as? LibraryError)?.code == .full { return true }
        recordingFailures[id, default: 0] += 1
        return recordingFailures[id, default: 0] <= Self.mostFailures
    }

    /// Takes in what could not be before, unless that is going on.
    func retryRecordingsLeft() {
        guard !recordingsLeft.isEmpty, adoptingRecordings == nil, state == .ready else { return }
        let left = recordingsLeft
        recordingsLeft = []
        adoptingRecordings = Task {
            _ = await adoptRecordings(Array(left))
            adoptingRecordings = nil
        }
    }

    private func forget(_ id: UUID) throws(LibraryError) {
        try databaseWrite { db in try RecordingRow.delete(id, db) }
    }

    /// - Parameters:
    ///   - source: where its file is: where it was recorded, or in an original's place already.
    ///   - isNew: whether it was certainly no asset before, of which more was known.
    private func take(
        _ movie: RecordedMovie, _ file: OriginalFile, at source: String, isNew: Bool = true,
        origin: ChangeOrigin
    ) throws(LibraryError) -> Asset {
        try requireWritable()
        let recording = movie.recording
        var path = layout.original(recording.id, of: recording.createdAt)
        if source == layout.recording(recording.id) {
            let day = LibraryLayout.day(of: recording.createdAt)
            try prepare(day: day)
            do {
                try FileTree.move(source, to: layout.original(path))
            } catch {
                throw unfinishedImport(recording.id, in: day, error)
            }
        } else {
            path = String(source.dropFirst(layout.originals.count + 1))
        }
        let new = NewAsset(movie, file, path: path, recovered: !isNew)
        let asset = try commitRecording(new, from: origin)
        recordingRate = max(recordingRate, asset.recordingRate ?? 0)
        if let thumbnail = movie.thumbnail {
            DerivedFile.write(thumbnail, to: layout.thumbnail(recording.id), in: layout)
        }
        return corrected(asset)
    }

    /// The clock may have become right since it was begun. What cannot be corrected now is at the next open.
    private func corrected(_ asset: Asset) -> Asset {
        guard asset.timeConfidence != .synchronized, Clock.isSynchronized,
            let count = try? correctTimes(by: .now), count > 0
        else { return asset }
        return (try? row(of: asset.id))?.asset ?? asset
    }

    /// As ``commit(_:from:)``, but the file is never taken away again: it cannot be recorded once more.
    private func commitRecording(
        _ new: NewAsset, from origin: ChangeOrigin
    ) throws(LibraryError) -> Asset {
        let now = Clock.wall
        do throws(LibraryError) {
            return try change(from: origin) { db in
                try RecordingRow.delete(new.id, db)
                return try new.insert(db, origin: origin, now: now)
            }
        } catch {
            if let currentDay { failedDays.insert(currentDay) }
            throw error
        }
    }

    // MARK: after a crash

    /// Mends and takes in what was being recorded when the program ended last; what a full disk keeps out is left for when
    /// there is room, what cannot be read or written is tried a few times more.
    ///
    /// - Returns: the movies' assets.
    nonisolated func adoptRecordings(_ left: [UUID]) async -> [UUID] {
        var adopted: [UUID] = []
        for id in left {
            do {
                if try await adoptRecording(id) { adopted.append(id) }
            } catch {
                // Else the next open tries again.
                if await mayTryAgain(id, after: error) { await leave(id) }
            }
        }
        return adopted
    }

    /// Files in incoming/ that were being recorded, and rows of which there is no file, with the file's bytes.
    func leftRecordings() throws -> [(id: UUID, bytes: Int)] {
        let files = try FileTree.names(in: layout.incoming).compactMap { name in
            LibraryLayout.parse(originalName: name).flatMap {
                $0.fileExtension == LibraryLayout.recordingExtension ? $0.id : nil
            }
        }
        let rows = try databaseRead { db in try RecordingRow.all(db) }
        return try Set(files + rows).sorted { $0.text < $1.text }
            // A library that is opened again while its process records leaves that to who records it.
            .filter { !GrowingFile.isGrowing(layout.recording($0)) }
            .map { ($0, try FileTree.entry(layout.recording($0))?.bytes ?? 0) }
    }

    /// - Returns: whether there was a movie.
    private nonisolated func adoptRecording(_ id: UUID) async throws -> Bool {
        let noted = try await note(of: id)
        let path = try await place(of: id, noted)
        guard try await !isAsset(id), let entry = try await reader.entry(path),
            let facts = try await reader.mend(path)
        else {
            try await abandon(id)
            return false
        }
        let modified = WallTime(
            nanoseconds: entry.modified, utcOffsetSeconds: Clock.utcOffset(at: entry.modified))
        var recording =
            noted?.begun(atSecond: facts.createdAt) ?? NewRecording(id: id, createdAt: modified)
        recording.location = recording.location ?? facts.location
        let movie = RecordedMovie(
            recording, dimensions: facts.dimensions, orientation: facts.orientation.rawValue,
            duration: MediaTime(nanoseconds: facts.duration))
        _ = try await take(
            movie, try await reader.scan(path), at: path,
            isNew: noted != nil && path == layout.recording(id), origin: .recovery)
        return true
    }

    /// Where its file is: where it was recorded, unless it has got an original's place and no row yet.
    private nonisolated func place(
        of id: UUID, _ noted: NewRecording?
    ) async throws(SystemCallError) -> String {
        let recorded = layout.recording(id)
        guard let noted, try await reader.entry(recorded) == nil else { return recorded }
        // With its pre-roll it may have begun the day before it was noted.
        let dayBefore = WallTime(
            nanoseconds: noted.createdAt.nanoseconds - 86_400_000_000_000,
            utcOffsetSeconds: noted.createdAt.utcOffsetSeconds)
        for day in [noted.createdAt, dayBefore] {
            let moved = layout.original(layout.original(id, of: day))
            if try await reader.entry(moved) != nil { return moved }
        }
        return recorded
    }

    private func isAsset(_ id: UUID) throws(LibraryError) -> Bool { try row(of: id) != nil }

    private func note(of id: UUID) throws(LibraryError) -> NewRecording? {
        try databaseRead { db in try RecordingRow.fetch(id, db) }
    }
}

extension NewRecording {
    /// Longer is no pre-roll, nanoseconds.
    private static let longestPreRoll: Int64 = 60_000_000_000

    /// With the time of its first picture: with a pre-roll that is before what was noted. Where the clock has leapt in
    /// between, as it was noted.
    ///
    /// - Parameter second: since 1970, as the file has it.
    func begun(atSecond second: Int64) -> NewRecording {
        let later = createdAt.nanoseconds - second * 1_000_000_000
        // To the second they agree else.
        guard (1_000_000_000..<Self.longestPreRoll).contains(later) else { return self }
        var begun = self
        begun.createdAt = WallTime(
            nanoseconds: createdAt.nanoseconds - later,
            utcOffsetSeconds: createdAt.utcOffsetSeconds)
        begun.boottime = boottime.map { $0 - later }
        return begun
    }
}

extension NewAsset {
    fileprivate init(
        _ movie: RecordedMovie, _ file: OriginalFile, path: String, recovered: Bool
    ) {
        let recording = movie.recording
        self.init(
            id: recording.id, path: path, fileExtension: LibraryLayout.recordingExtension,
            bytes: file.bytes, sha256: file.sha256, createdAt: recording.createdAt,
            timeConfidence: recording.timeConfidence, width: movie.dimensions.width,
            height: movie.dimensions.height, orientation: movie.orientation)
        complete(with: recording)
        mediaType = .video
        duration = movie.duration
        mediaSubtypes = recording.mediaSubtypes
        self.recovered = recovered
    }
}

extension LibraryLayout {
    static let recordingExtension = "mp4"
    /// Where one is in the end, among the originals.
    func original(_ id: UUID, of time: WallTime) -> String {
        "\(Self.day(of: time))/\(id.text).\(Self.recordingExtension)"
    }
    /// Where a movie grows.
    func recording(_ id: UUID) -> String { "\(incoming)/\(id.text).\(Self.recordingExtension)" }
}

extension Asset {
    /// Bytes of a second of what was recorded as it happened; `nil` of anything else, and of less than a second.
    var recordingRate: Int64? {
        guard mediaType == .video, mediaSubtypes.isEmpty, let seconds = duration?.seconds,
            seconds >= 1
        else { return nil }
        return Int64(Double(bytes) / seconds)
    }
}
