// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import FoundationEssentials
internal import LinuxIO
internal import Media
internal import Synchronization

/// Writes a recording's fragments on a thread of its own, each of which survives a power cut when the next one comes:
/// a slow disk holds up neither camera nor encoder.
actor MovieWriter {
    /// Of this output alone: a disk that does not answer keeps it.
    private let executor = ThreadExecutor("movie-file")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// How a recording begins.
    struct Beginning: Sendable {
        let order: MovieOrder
        /// Nanoseconds of `CLOCK_MONOTONIC` of the first picture.
        let origin: Int64
        /// The video's first.
        let tracks: [MovieTrack]
        let clocks: MomentClocks
        let thumbnail: [UInt8]?
    }

    enum Work: Sendable {
        case begin(Beginning)
        case append([MovieRun], bytes: Int)
        /// With what the encoder said, where it is the reason.
        case finish(MovieStopReason, MovieError?)
        /// There will be no recording.
        case refuse(UUID, MovieError)
    }

    /// Where work is left for the writer. Any thread; returns at once.
    struct Inbox: Sendable {
        fileprivate let continuation: AsyncStream<Work>.Continuation

        func post(_ work: Work) { continuation.yield(work) }
        /// No more comes.
        func finish() { continuation.finish() }
    }

    private let mailbox: MovieMailbox
    private let report: @Sendable (MovieEvent) -> Void
    private var current: Beginning?
    private var movie: MovieFile?
    /// Why the recording that is under way cannot be written any more.
    private var failure: SystemCallError?
    /// The file takes no more.
    private var isFull = false

    private init(
        _ mailbox: MovieMailbox, _ report: @escaping @Sendable (MovieEvent) -> Void
    ) {
        self.mailbox = mailbox
        self.report = report
    }

    /// Starts one, which ends with its inbox.
    ///
    /// - Returns: where its work is left, and what ends with it.
    static func start(
        _ mailbox: MovieMailbox, _ report: @escaping @Sendable (MovieEvent) -> Void
    ) -> (inbox: Inbox, end: Task<Void, Never>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Work.self)
        let writer = MovieWriter(mailbox, report)
        let task = Task {
            for await work in stream { await writer.handle(work) }
        }
        return (Inbox(continuation: continuation), task)
    }

    private func handle(_ work: Work) {
        mailbox.writing.store(Clock.monotonic, ordering: .relaxed)
        defer { mailbox.writing.store(0, ordering: .relaxed) }
        switch work {
        case .begin(let beginning): begin(beginning)
        case .append(let runs, let bytes):
            append(runs)
            mailbox.unwritten.subtract(bytes, ordering: .relaxed)
        case .finish(let reason, let error): finish(reason, error)
        case .refuse(let id, let error): report(.failed(id, error))
        }
    }

    private func begin(_ beginning: Beginning) {
        current = beginning
        (failure, isFull) = (nil, false)
        do throws(SystemCallError) {
            movie = try MovieFile(
                creating: beginning.order.path, beginning.tracks,
                MovieMetadata(beginning.order.metadata, beginning.clocks),
                origin: beginning.origin)
            try DurableFile.synchronizeDirectory(PathName(beginning.order.path).parent)
            report(.started(beginning.order.id))
        } catch {
            giveUp(error)
        }
    }

    private func append(_ runs: [MovieRun]) {
        guard failure == nil, !isFull, let order = current?.order else { return }
        do throws(SystemCallError) {
            let free = try FileTree.freeBytes(at: PathName(order.path).parent)
            let room = free - order.minimumFreeBytes
            mailbox.room.withLock { $0 = max(room, 0) }
            if room < 0 { mailbox.post(.stopFile(order.id, .storageFull)) }
            try movie?.append(runs)
        } catch {
            // What was written before is kept where that is possible.
            guard error.isFull || error.isFileTooLarge else { return giveUp(error) }
            // What comes might have room yet, and be behind a hole.
            isFull = true
            mailbox.post(.stopFile(order.id, error.isFull ? .storageFull : .maximumFileSize))
            return
        }
        // Of what could not be made durable nobody knows what is on the disk, and it says so once only.
        do throws(SystemCallError) { try movie?.synchronize() } catch { giveUp(error) }
    }

    /// Nothing more is written: after an error of the medium nobody knows what is on it.
    private func giveUp(_ error: SystemCallError) {
        failure = error
        movie = nil
        if let current { mailbox.post(.stopFile(current.order.id, .storageFull)) }
    }

    private func finish(_ reason: MovieStopReason, _ error: MovieError?) {
        guard let beginning = current else { return }
        current = nil
        // What goes on in another file has the same room.
        if reason != .continued { mailbox.room.withLock { $0 = nil } }
        let id = beginning.order.id
        guard let movie = movie.take() else {
            report(.failed(id, MovieError(.storage, "recording \(id)", underlying: failure)))
            return
        }
        if movie.isEmpty {
            report(.failed(id, error ?? Self.error(ofNothingWritten: reason)))
            return
        }
        let duration = movie.duration
        let bytes: Int
        do throws(SystemCallError) {
            bytes = try movie.finish()
        } catch {
            report(.failed(id, MovieError(.storage, "recording \(id)", underlying: error)))
            return
        }
        let (clocks, video) = (beginning.clocks, beginning.tracks[0])
        report(
            .finished(
                FinishedMovie(
                    id: id, path: beginning.order.path, duration: duration, bytes: bytes,
                    dimensions: video.dimensions, orientation: video.orientation,
                    wallTime: clocks.wallTime, utcOffset: clocks.utcOffset,
                    clockIsRight: clocks.isRight, bootTime: clocks.bootTime, stopReason: reason,
                    error: error, thumbnail: beginning.thumbnail)))
    }

    /// Of a recording of which not even the first fragment is in its file.
    private static func error(ofNothingWritten reason: MovieStopReason) -> MovieError {
        let message = "the recording ended before its first picture was written"
        return switch reason {
        case .storageFull, .storageTooSlow: MovieError(.storage, message)
        case .encoderFailed: MovieError(.noEncoder, message)
        case .requested, .continued, .maximumDuration, .maximumFileSize, .cameraLost, .stopping:
            MovieError(.noFrames, message)
        }
    }
}
