// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import FoundationEssentials
internal import LinuxIO
internal import Media
internal import Synchronization

/// Writes a recording's fragments on a thread of its own, so that a slow disk holds up neither
/// camera nor encoder. Each fragment survives a power cut before the next is written.
actor MovieWriter {
    /// One thread per output: a disk that does not answer blocks it.
    private let executor = ThreadExecutor("movie-file")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    struct Beginning: Sendable {
        let order: MovieOrder
        /// The first picture's time: nanoseconds of `CLOCK_MONOTONIC`.
        let origin: Int64
        /// The video track comes first.
        let tracks: [MovieTrack]
        let clocks: ClockReadings
        let thumbnail: [UInt8]?
    }

    enum Work: Sendable {
        case begin(Beginning)
        case append([MovieRun], bytes: Int)
        /// The error is the encoder's, if that ended the recording.
        case finish(MovieStopReason, MovieError?)
        /// The order fails without a recording.
        case refuse(UUID, MovieError)
    }

    /// The entry for the writer's work. Any thread; returns at once.
    struct Inbox: Sendable {
        fileprivate let continuation: AsyncStream<Work>.Continuation

        func post(_ work: Work) { continuation.yield(work) }
        /// Ends the writer after the work that waits.
        func finish() { continuation.finish() }
    }

    private let mailbox: MovieMailbox
    private let report: @Sendable (MovieEvent) -> Void
    private var current: Beginning?
    private var movie: MovieFile?
    /// Why the current recording can no longer be written.
    private var failure: SystemCallError?
    /// Whether the file takes no more fragments.
    private var isFull = false

    private init(
        _ mailbox: MovieMailbox, _ report: @escaping @Sendable (MovieEvent) -> Void
    ) {
        self.mailbox = mailbox
        self.report = report
    }

    /// Starts a writer, which ends with its inbox; the returned task ends with the writer.
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
            // A full disk or a file at its size limit keeps what was written before.
            guard error.isFull || error.isFileTooLarge else { return giveUp(error) }
            // A smaller fragment might still fit, but would follow a gap.
            isFull = true
            mailbox.post(.stopFile(order.id, error.isFull ? .storageFull : .maximumFileSize))
            return
        }
        // After a failed fsync the disk's state is unknown; the kernel reports the error only once.
        do throws(SystemCallError) { try movie?.synchronize() } catch { giveUp(error) }
    }

    /// Writes nothing more to the file: after an error of the medium its contents are unknown.
    private func giveUp(_ error: SystemCallError) {
        failure = error
        movie = nil
        if let current { mailbox.post(.stopFile(current.order.id, .storageFull)) }
    }

    private func finish(_ reason: MovieStopReason, _ error: MovieError?) {
        guard let beginning = current else { return }
        current = nil
        // The next file of a continued movie has the same room.
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
