// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
public import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Media

/// Movies become assets in three steps. The recorded pictures survive a failure in between:
///
///     beginRecording     a row in `recording`
///     (the recorder)     incoming/<id>.mp4 grows, and is finished
///     finishRecording    the file moves to its place, and the asset replaces the row
///
/// After a crash the next open repairs and adopts the movie; after a full disk it is adopted once
/// there is room.
extension AssetLibrary {
    /// Free space above the reserve that a movie needs to begin: ten seconds at the known rate.
    var recordingRoom: Int64 { max(Self.leastRecordingRoom, recordingRate * 10) }
    private static let leastRecordingRoom: Int64 = 16 << 20

    /// Notes a movie before it is recorded.
    /// - Returns: The path for its file, which does not exist yet.
    /// - Throws: `full` unless some seconds fit above the reserve; `readOnly`, `io`, `closed`.
    public func beginRecording(_ new: NewRecording) throws(LibraryError) -> String {
        try requireWritable()
        // The data rate is known only for movies recorded in real time, which have no subtype.
        try requireSpace(new.mediaSubtypes.isEmpty ? recordingRoom : Self.leastRecordingRoom)
        try databaseWrite { db in try RecordingRow.insert(new, db) }
        return layout.recording(new.id)
    }

    /// Makes an asset of a recorded movie and returns once it survives a power cut. A file that was
    /// not finished is finished first. Throws `notFound` if there is no file; `unsupported` if it
    /// has no playable picture; `full`, `io`, `readOnly`, `closed`. After an error the next
    /// ``admission(probing:)`` or open tries again.
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
            return try await makeAsset(movie, file, at: path, origin: .capture)
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

    /// Finishes a movie that was cut off.
    /// - Returns: Whether it is finished now; `false` if its index is too large to be read.
    private nonisolated func isMended(_ path: String) async throws(LibraryError) -> Bool {
        do {
            if try await reader.mend(path) != nil { return true }
        } catch {
            if error.isFileTooLarge { return false }
            throw LibraryError("recording \(path)", error)
        }
        throw LibraryError(.unsupported, "\(path): contains no movie")
    }

    /// Forgets a movie of which nothing was recorded. If its file can be played after all, the next
    /// ``admission(probing:)`` or open adopts it.
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

    /// A recording is retried after up to so many failures: a mended medium may report old errors.
    private static let mostFailures = 5

    private func mayTryAgain(_ id: UUID, after error: any Error) -> Bool {
        if (error as? LibraryError)?.code == .full { return true }
        recordingFailures[id, default: 0] += 1
        return recordingFailures[id, default: 0] <= Self.mostFailures
    }

    /// Retries the recordings that could not become assets, unless that is running.
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
    ///   - source: The path of the file: where it was recorded, or already in an original's place.
    ///   - isNew: Whether the movie was certainly never an asset. If not, it counts as recovered,
    ///     because its other properties may be lost.
    private func makeAsset(
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

    /// Corrects the asset's time if the clock became right after the recording began. If that
    /// fails, the time is corrected after the next open.
    private func corrected(_ asset: Asset) -> Asset {
        guard asset.timeConfidence != .synchronized, Clock.isSynchronized,
            let count = try? correctTimes(by: .now), count > 0
        else { return asset }
        return (try? row(of: asset.id))?.asset ?? asset
    }

    /// Like ``commit(_:with:changes:from:)``, but keeps the file, which cannot be recorded again.
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

    /// Repairs and adopts movies that were not finished. If the disk is full, a movie waits until
    /// there is room. If it cannot be read or written, it is tried a few more times.
    /// - Returns: The ids of the new assets.
    nonisolated func adoptRecordings(_ left: [UUID]) async -> [UUID] {
        var adopted: [UUID] = []
        for id in left {
            do {
                if try await adoptRecording(id) { adopted.append(id) }
            } catch {
                // Otherwise the next open tries again.
                if await mayTryAgain(id, after: error) { await leave(id) }
            }
        }
        return adopted
    }

    /// Returns the ids of movies in incoming/ and of rows, with the bytes of the file, if any.
    func leftRecordings() throws -> [(id: UUID, bytes: Int)] {
        let files = try FileTree.names(in: layout.incoming).compactMap { name in
            LibraryLayout.parse(originalName: name).flatMap {
                $0.fileExtension == LibraryLayout.recordingExtension ? $0.id : nil
            }
        }
        let rows = try databaseRead { db in try RecordingRow.all(db) }
        return try Set(files + rows).sorted { $0.text < $1.text }
            // Skips movies still being recorded, if this process reopened the library meanwhile.
            .filter { !GrowingFile.isGrowing(layout.recording($0)) }
            .map { ($0, try FileTree.entry(layout.recording($0))?.bytes ?? 0) }
    }

    /// - Returns: Whether there was a movie.
    private nonisolated func adoptRecording(_ id: UUID) async throws -> Bool {
        let noted = try await note(of: id)
        let path = try await place(of: id, noted)
        guard try await !isAsset(id), let entry = try await reader.entry(path),
            let facts = try await reader.mend(path)
        else {
            try await abandon(id)
            return false
        }
        let modified = WallTime(here: entry.modified)
        var recording =
            noted?.begun(atSecond: facts.createdAt) ?? NewRecording(id: id, createdAt: modified)
        recording.location = recording.location ?? facts.location
        let movie = RecordedMovie(
            recording, dimensions: facts.dimensions, orientation: facts.orientation.rawValue,
            duration: MediaTime(nanoseconds: facts.duration))
        _ = try await makeAsset(
            movie, try await reader.scan(path), at: path,
            isNew: noted != nil && path == layout.recording(id), origin: .recovery)
        return true
    }

    /// Returns the path of a movie's file: where it was recorded, or in the original's place if a
    /// crash came before the row.
    private nonisolated func place(
        of id: UUID, _ noted: NewRecording?
    ) async throws(SystemCallError) -> String {
        let recorded = layout.recording(id)
        guard let noted, try await reader.entry(recorded) == nil else { return recorded }
        // The pre-roll may have moved the beginning to the day before.
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
    /// The longest possible pre-roll, in nanoseconds.
    private static let longestPreRoll: Int64 = 60_000_000_000

    /// Returns the recording with the time of its first picture, which a pre-roll moves before the
    /// noted time. The noted time stays if the clock has jumped since.
    /// - Parameter second: The file's time of the first picture, in seconds since 1970.
    func begun(atSecond second: Int64) -> NewRecording {
        let later = createdAt.nanoseconds - second * 1_000_000_000
        // Without a pre-roll the times agree to the second.
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
    /// Returns the final path of a movie, below `originals/`.
    func original(_ id: UUID, of time: WallTime) -> String {
        "\(Self.day(of: time))/\(id.text).\(Self.recordingExtension)"
    }
    func recording(_ id: UUID) -> String { "\(incoming)/\(id.text).\(Self.recordingExtension)" }
}

extension Asset {
    /// Bytes per second of a movie recorded in real time; `nil` below a second or for other assets.
    var recordingRate: Int64? {
        guard mediaType == .video, mediaSubtypes.isEmpty, let seconds = duration?.seconds,
            seconds >= 1
        else { return nil }
        return Int64(Double(bytes) / seconds)
    }
}
