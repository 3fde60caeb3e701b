// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Kiosk
internal import Library
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording
internal import Synchronization

/// Records the kiosk's movies: each is noted in the library, recorded, and made an asset there. Each order is answered
/// with one `recordingEnded`.
actor MovieRecorder {
    /// A movie that was ordered.
    struct Order: Sendable {
        let recording: RecordingIdentifier
        /// The press, nanoseconds of `CLOCK_MONOTONIC`.
        let moment: Int64
        /// The guest's session.
        let session: String
    }

    /// What the recorder is told to do, in order.
    enum Command: Sendable {
        case start(Order)
        case stop(RecordingIdentifier)
    }

    /// One that is being recorded, or saved.
    private struct Movie {
        let order: Order
        /// Of the files that are not in the library yet, the oldest first.
        var notes: [NewRecording]
        /// The newest file that is in the library.
        var lastSaved: SavedPhoto?
    }

    nonisolated let output: MovieFileOutput
    private let library: LibraryKeeper
    private let configuration: Configuration
    private let report: @Sendable (KioskEvent) async -> Void
    private let log = Logger(label: "recording")
    /// The last one may be being recorded; saving those before it may take longer than the kiosk waits.
    private var movies: [Movie] = []
    private var current: Movie? { movies.last }
    /// Of the movie that is being recorded, in all of its files.
    private var rotation = Rotation.none
    /// Of the movie that was begun last.
    private nonisolated let number = Atomic<Int64>(0)
    /// The press that the movie began with, nanoseconds of `CLOCK_MONOTONIC`.
    private nonisolated let begin = Atomic<Int64>(0)
    /// Waits until the next file is due.
    private var segmenting: Task<Void, Never>?

    /// What does not change from movie to movie.
    struct Configuration: Sendable {
        /// Nanoseconds; `nil` for no limit. Nobody but the kiosk ends a movie before.
        var maximumDuration: Int64?
        /// When the kiosk does, from the press on: nanoseconds, `nil` for never.
        var usualEnd: Int64?
        /// Of all files of a movie together, in bytes; `nil` for no limit.
        var maximumFileSize: Int?
        /// A movie goes on in another file after so long; nanoseconds, `nil` for never.
        var segmentDuration: Int64?
        /// What the library keeps free, in bytes.
        var reserve: Int64
        var camera: ChosenCamera
        /// The program, for the file.
        var software: String
        var location: Location?
        /// How the board is turned now; `nil` where that is not asked.
        var orientation: FrameClaims.Orientation?
    }

    /// Of this movie, in all of its files; 0 before it is recorded.
    nonisolated func recordedSeconds(of recording: RecordingIdentifier) -> Double {
        number.load(ordering: .acquiring) == recording.number ? recordedSeconds : 0
    }

    /// Of the movie that is being recorded, in all of its files.
    nonisolated var recordedSeconds: Double {
        Double(output.recordedInAll.duration / 1_000_000) / 1000
    }

    /// Until the movie ends by itself, by its length, its size or the free space: seconds; `nil` where none is recorded,
    /// and before that is known.
    nonisolated var secondsLeft: Double? {
        guard output.isRecording else { return nil }
        let elapsed = Clock.monotonic - begin.load(ordering: .relaxed)
        let left = [output.recordableDuration, configuration.usualEnd.map { max($0 - elapsed, 0) }]
        return left.compactMap(\.self).min().map { Double($0 / 1_000_000) / 1000 }
    }

    init(
        _ output: MovieFileOutput, _ library: LibraryKeeper, _ configuration: Configuration,
        report: @escaping @Sendable (KioskEvent) async -> Void
    ) {
        self.output = output
        self.library = library
        self.configuration = configuration
        self.report = report
    }

    /// Does what it is told, until there are no more commands and the output is closed.
    func run(_ commands: AsyncStream<Command>) async {
        async let obeying: Void = obey(commands)
        for await event in output.events {
            switch event {
            case .started(let id):
                log.notice("recording", metadata: ["id": "\(id)"])
                if let length = configuration.segmentDuration {
                    awaitSegment(max(length - output.recordedDuration, 0))
                }
            case .finished(let movie): await keep(movie)
            case .failed(let id, let error): await fail(id, error)
            }
        }
        await obeying
    }

    private func obey(_ commands: AsyncStream<Command>) async {
        for await command in commands {
            switch command {
            case .start(let order): await start(order)
            case .stop(let id):
                if current?.order.recording == id { output.stopRecording() }
            }
        }
    }

    private func start(_ order: Order) async {
        let note = NewRecording(at: order.moment, configuration, session: order.session)
        do {
            let path = try await library.beginRecording(note)
            var movie = configuration.order(
                note, path, at: order.moment, await configuration.orientation?() ?? .none)
            movie.maximumDuration = configuration.maximumDuration
            movie.maximumFileSize = configuration.maximumFileSize
            movies.append(Movie(order: order, notes: [note]))
            try output.startRecording(movie)
            rotation = movie.rotation
            begin.store(order.moment, ordering: .relaxed)
            number.store(order.recording.number, ordering: .releasing)
        } catch {
            movies.removeAll { $0.order.recording == order.recording }
            log.error("no recording", metadata: ["reason": "\(error)"])
            try? await library.abandonRecording(note.id)
            await report(.recordingEnded(order.recording, .failed(reason: "\(error)")))
        }
    }

    /// Has the movie go on in another file when this one is long enough.
    private func awaitSegment(_ rest: Int64) {
        segmenting?.cancel()
        segmenting = Task {
            try? await Task.sleep(for: .nanoseconds(rest))
            if !Task.isCancelled { await goOn() }
        }
    }

    private func goOn() async {
        guard let order = current?.order, output.isRecording else { return }
        let note = NewRecording(at: Clock.monotonic, configuration, session: order.session)
        do {
            let path = try await library.beginRecording(note)
            guard current?.order.recording == order.recording, output.isRecording else {
                try? await library.abandonRecording(note.id)
                return
            }
            var movie = configuration.order(note, path, at: Clock.monotonic, rotation)
            let earlier = output.recordedInAll
            movie.maximumDuration = configuration.maximumDuration.map {
                max($0 - earlier.duration, 1)
            }
            movie.maximumFileSize = configuration.maximumFileSize.map {
                max($0 - earlier.bytes, 1)
            }
            try output.continueRecording(in: movie)
            movies[movies.count - 1].notes.append(note)
        } catch let error as MovieError where error.code == .closed {
            // It is being ended.
            try? await library.abandonRecording(note.id)
        } catch {
            log.warning("goes on in the same file", metadata: ["reason": "\(error)"])
            try? await library.abandonRecording(note.id)
            awaitSegment(configuration.segmentDuration ?? .max)
        }
    }

    /// Takes out the note of a file that has ended.
    private func takeNote(_ id: UUID) -> (note: NewRecording, of: RecordingIdentifier)? {
        for place in movies.indices {
            guard let index = movies[place].notes.firstIndex(where: { $0.id == id }) else {
                continue
            }
            return (movies[place].notes.remove(at: index), movies[place].order.recording)
        }
        return nil
    }

    private func keep(_ movie: FinishedMovie) async {
        guard let (note, recording) = takeNote(movie.id) else { return }
        let continues = movie.stopReason == .continued
        // To be taken in it is read as a whole: nobody is to go on speaking to one that has ended by itself.
        if !continues { await report(.endRecording(recording)) }
        if let error = movie.error {
            log.error("recording cut short", metadata: ["reason": "\(error)"])
        }
        do {
            let asset = try await library.finishRecording(note.finished(movie))
            log.notice(
                "recorded",
                metadata: [
                    "id": "\(asset.id)", "milliseconds": "\(movie.duration / 1_000_000)",
                    "bytes": "\(movie.bytes)", "reason": "\(movie.stopReason.rawValue)",
                    "encoder": "\(output.encoderName ?? "none")",
                ])
            if let place = movies.firstIndex(where: { $0.order.recording == recording }) {
                movies[place].lastSaved = SavedPhoto(
                    assetID: asset.id.uuidString, fileName: asset.fileName,
                    thumbnail: movie.thumbnail)
            }
            if !continues { await end(recording, isCut: movie.stopReason.isCut, nil) }
        } catch {
            log.error("recording not kept yet", metadata: ["reason": "\(error)"])
            if !continues { await end(recording, isCut: true, error) }
        }
    }

    private func fail(_ id: UUID, _ error: MovieError) async {
        guard let recording = takeNote(id)?.of else { return }
        log.error("no recording", metadata: ["reason": "\(error)"])
        let isLast = movies.first { $0.order.recording == recording }?.notes.isEmpty == true
        // What there is of it may be read as a whole.
        if isLast { await report(.endRecording(recording)) }
        try? await library.abandonRecording(id)
        if isLast { await end(recording, isCut: true, error) }
    }

    /// What a disk has not let in yet may be there all the same.
    private static func reason(_ error: (any Error)?) -> String {
        guard let error else { return "nothing was recorded" }
        let isOfDisk =
            (error as? MovieError).map { $0.code == .storage }
            ?? ((error as? LibraryError)?.code != .unsupported)
        return isOfDisk
            ? "\(error); what can be played of it comes into the library by itself" : "\(error)"
    }

    /// Answers the order: with the last file that was kept, where there is one.
    private func end(
        _ recording: RecordingIdentifier, isCut: Bool, _ error: (any Error)?
    ) async {
        guard let place = movies.firstIndex(where: { $0.order.recording == recording }) else {
            return
        }
        let movie = movies.remove(at: place)
        if place == movies.count { segmenting?.cancel() }
        // In these it was to go on.
        for note in movie.notes { try? await library.abandonRecording(note.id) }
        let result: RecordingResult =
            if let saved = movie.lastSaved {
                .saved(saved, isCut: isCut)
            } else {
                .failed(reason: Self.reason(error))
            }
        await report(.recordingEnded(recording, result))
    }
}

extension MovieStopReason {
    /// Whether nobody had wanted it to end.
    var isCut: Bool {
        switch self {
        case .requested, .continued, .maximumDuration, .maximumFileSize, .stopping: false
        case .storageFull, .storageTooSlow, .cameraLost, .encoderFailed: true
        }
    }
}
