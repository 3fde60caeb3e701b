// SPDX-License-Identifier: GPL-3.0-or-later

package import Devices
internal import FoundationEssentials
package import Kiosk
internal import Library
package import LibraryService
internal import LinuxIO
internal import Logging
internal import Media
package import Recording
internal import Settings
internal import Synchronization
internal import VitrineKit

/// Records the kiosk's movies: notes each in the library, records it, and makes it an asset. Each
/// order is answered with one `recordingEnded`.
package actor MovieRecorder {
    package struct Order: Sendable {
        let recording: RecordingIdentifier
        /// The press, nanoseconds of `CLOCK_MONOTONIC`.
        let moment: Int64
        let session: String

        package init(recording: RecordingIdentifier, moment: Int64, session: String) {
            self.recording = recording
            self.moment = moment
            self.session = session
        }
    }

    private enum Command: Sendable {
        case start(Order)
        case stop(RecordingIdentifier)
    }

    private struct Movie {
        let order: Order
        /// The notes of the files that are not in the library yet, oldest first.
        var notes: [NewRecording]
        var lastSaved: SavedPhoto?
    }

    package nonisolated let output: MovieFileOutput
    private nonisolated let (commands, commandInput) = AsyncStream.makeStream(of: Command.self)
    private let library: LibrarySupervisor
    private let configuration: Configuration
    private let report: @Sendable (KioskEvent) async -> Void
    private let log = Logger(label: "recording")
    /// The last movie may be recorded now; saving those before it may take longer than the kiosk
    /// waits.
    private var movies: [Movie] = []
    private var current: Movie? { movies.last }
    /// The rotation of the movie that is recorded, in all of its files.
    private var rotation = Rotation.none
    private nonisolated let number = Atomic<Int64>(0)
    /// The press that began the newest movie, in nanoseconds of `CLOCK_MONOTONIC`.
    private nonisolated let pressTime = Atomic<Int64>(0)
    private var segmenting: Task<Void, Never>?

    package struct Configuration: Sendable {
        /// The longest movie in nanoseconds; `nil` for no limit. The kiosk usually ends it earlier.
        var maximumDuration: Int64?
        /// When the kiosk ends a movie, in nanoseconds from the press; `nil` for never.
        var usualEnd: Int64?
        /// The largest size of all files of a movie, in bytes; `nil` for no limit.
        var maximumFileSize: Int?
        /// When a movie continues in another file, in nanoseconds; `nil` for never.
        var segmentDuration: Int64?
        /// The free space that the library reserves, in bytes.
        var reserve: Int64
        var camera: ChosenCamera
        var software: String
        var location: Location?
        /// Tells how the board is turned now; `nil` without a sensor.
        var orientation: FrameReserver.Orientation?

        package init(_ board: Board, version: String) {
            let settings = board.settings.recording
            // The kiosk ends a movie; this limit holds if it does not. A pre-roll begins with a key
            // frame.
            let grace = 5.0
            let longest = settings.maximumSeconds
            if longest > 0 {
                maximumDuration = Int64((longest + settings.preRollSeconds + grace) * 1e9)
                usualEnd = Int64(longest * 1e9)
            }
            if settings.maximumMegabytes > 0 { maximumFileSize = settings.maximumMegabytes << 20 }
            if settings.segmentSeconds > 0 {
                segmentDuration = Int64(settings.segmentSeconds * 1e9)
            }
            reserve = Int64(board.settings.library.reserveMegabytes) << 20
            camera = board.camera
            software = Board.software(version)
            location = board.location
            orientation = board.orientationSampler?.rotation
        }
    }

    /// Returns the seconds of a movie, in all of its files; 0 before it is recorded.
    package nonisolated func recordedSeconds(of recording: RecordingIdentifier) -> Double {
        number.load(ordering: .acquiring) == recording.number ? recordedSeconds : 0
    }

    /// The seconds of the movie that is recorded, in all of its files.
    package nonisolated var recordedSeconds: Double {
        Double(output.recordedInAll.duration / 1_000_000) / 1000
    }

    /// The seconds until the movie ends by its length, its size or the free space; `nil` if none is
    /// recorded or if that is not known yet.
    package nonisolated var secondsLeft: Double? {
        guard output.isRecording else { return nil }
        let elapsed = Clock.monotonic - pressTime.load(ordering: .relaxed)
        let left = [output.recordableDuration, configuration.usualEnd.map { max($0 - elapsed, 0) }]
        return left.compactMap(\.self).min().map { Double($0 / 1_000_000) / 1000 }
    }

    /// - Parameter report: tells the kiosk; called in order.
    package init(
        _ output: MovieFileOutput, _ library: LibrarySupervisor, _ configuration: Configuration,
        report: @escaping @Sendable (KioskEvent) async -> Void
    ) {
        self.output = output
        self.library = library
        self.configuration = configuration
        self.report = report
    }

    /// Begins a movie soon. Any thread.
    package nonisolated func start(_ order: Order) { commandInput.yield(.start(order)) }

    /// Ends a movie soon. Any thread.
    package nonisolated func stop(_ recording: RecordingIdentifier) {
        commandInput.yield(.stop(recording))
    }

    /// Accepts no more commands.
    package nonisolated func finish() { commandInput.finish() }

    /// Carries out the commands until ``finish()`` and until the output is closed.
    package func run() async {
        async let obeying: Void = obey()
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

    private func obey() async {
        for await command in commands {
            switch command {
            case .start(let order): await begin(order)
            case .stop(let id):
                if current?.order.recording == id { output.stopRecording() }
            }
        }
    }

    private func begin(_ order: Order) async {
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
            pressTime.store(order.moment, ordering: .relaxed)
            number.store(order.recording.number, ordering: .releasing)
        } catch {
            movies.removeAll { $0.order.recording == order.recording }
            log.error("no recording", metadata: ["reason": "\(error)"])
            try? await library.abandonRecording(note.id)
            await report(.recordingEnded(order.recording, .failed(reason: "\(error)")))
        }
    }

    /// Continues the movie in another file once this one is long enough.
    private func awaitSegment(_ rest: Int64) {
        segmenting?.cancel()
        segmenting = Task {
            try? await Task.sleep(for: .nanoseconds(rest))
            if !Task.isCancelled { await startNextFile() }
        }
    }

    private func startNextFile() async {
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
            // The movie is ending.
            try? await library.abandonRecording(note.id)
        } catch {
            log.warning("continues in the same file", metadata: ["reason": "\(error)"])
            try? await library.abandonRecording(note.id)
            awaitSegment(configuration.segmentDuration ?? .max)
        }
    }

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
        // The library reads the whole file now. A guest should not go on speaking to a movie that
        // has ended by itself.
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
        // The library may read the whole file now.
        if isLast { await report(.endRecording(recording)) }
        try? await library.abandonRecording(id)
        if isLast { await end(recording, isCut: true, error) }
    }

    /// Says why there is no movie. A file on a disk that failed may still be imported later.
    private static func reason(_ error: (any Error)?) -> String {
        guard let error else { return "nothing was recorded" }
        let isOfDisk =
            (error as? MovieError).map { $0.code == .storage }
            ?? ((error as? LibraryError)?.code != .unsupported)
        return isOfDisk
            ? "\(error); the playable part will be imported automatically" : "\(error)"
    }

    /// Answers the order, with the last file that was kept if there is one.
    private func end(
        _ recording: RecordingIdentifier, isCut: Bool, _ error: (any Error)?
    ) async {
        guard let place = movies.firstIndex(where: { $0.order.recording == recording }) else {
            return
        }
        let movie = movies.remove(at: place)
        if place == movies.count { segmenting?.cancel() }
        // The movie was going to continue in these files.
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
    /// Whether the movie ended although nobody wanted that.
    package var isCut: Bool {
        switch self {
        case .requested, .continued, .maximumDuration, .maximumFileSize, .stopping: false
        case .storageFull, .storageTooSlow, .cameraLost, .encoderFailed: true
        }
    }
}
