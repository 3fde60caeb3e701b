// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Kiosk
internal import Library
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording

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

    private struct Current {
        let order: Order
        let note: NewRecording
    }

    nonisolated let output: MovieFileOutput
    private let library: LibraryKeeper
    private let configuration: Configuration
    private let report: @Sendable (KioskEvent) async -> Void
    private let log = Logger(label: "recording")
    private var current: Current?

    /// What does not change from movie to movie.
    struct Configuration: Sendable {
        /// Nanoseconds; `nil` for no limit.
        var maximumDuration: Int64?
        /// What the library keeps free, in bytes.
        var reserve: Int64
        var camera: ChosenCamera
        var location: Location?
        /// How the board is turned now; `nil` where that is not asked.
        var orientation: FrameClaims.Orientation?
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
            case .started(let id): log.notice("recording", metadata: ["id": "\(id)"])
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
            var movie = MovieOrder(id: note.id, path: path, moment: order.moment)
            movie.maximumDuration = configuration.maximumDuration
            movie.minimumFreeBytes = configuration.reserve
            movie.rotation = await configuration.orientation?() ?? .none
            current = Current(order: order, note: note)
            try output.startRecording(movie)
        } catch {
            current = nil
            log.error("no recording", metadata: ["reason": "\(error)"])
            try? await library.abandonRecording(note.id)
            await report(.recordingEnded(order.recording, .failed(reason: "\(error)")))
        }
    }

    private func keep(_ movie: FinishedMovie) async {
        guard let current = self.current.take(), current.note.id == movie.id else { return }
        do {
            let asset = try await library.finishRecording(current.note.finished(movie))
            log.notice(
                "recorded",
                metadata: [
                    "id": "\(asset.id)", "milliseconds": "\(movie.duration / 1_000_000)",
                    "bytes": "\(movie.bytes)", "reason": "\(movie.stopReason.rawValue)",
                ])
            let saved = SavedPhoto(
                assetID: asset.id.uuidString, fileName: asset.fileName,
                thumbnail: movie.thumbnail)
            await report(
                .recordingEnded(
                    current.order.recording, .saved(saved, isCut: movie.stopReason.isCut)))
        } catch {
            log.error("recording not kept yet", metadata: ["reason": "\(error)"])
            await report(
                .recordingEnded(current.order.recording, .failed(reason: "\(error)")))
        }
    }

    private func fail(_ id: UUID, _ error: MovieError) async {
        guard let current = self.current.take(), current.note.id == id else { return }
        log.error("no recording", metadata: ["reason": "\(error)"])
        try? await library.abandonRecording(id)
        await report(.recordingEnded(current.order.recording, .failed(reason: "\(error)")))
    }
}

extension MovieStopReason {
    /// Whether nobody had wanted it to end.
    fileprivate var isCut: Bool {
        switch self {
        case .requested, .maximumDuration, .maximumFileSize, .stopping: false
        case .storageFull, .storageTooSlow, .cameraLost, .encoderFailed: true
        }
    }
}
