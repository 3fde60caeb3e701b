// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import FoundationEssentials
internal import LinuxIO
internal import Media
internal import Synchronization
internal import V4L2

/// The commands for the encoder's thread, in order, and the state that the thread shows to others.
final class MovieMailbox: Sendable {
    enum Command: Sendable {
        case streamStarted(MovieStream)
        case streamStopped(willRestart: Bool)
        /// The microphone changed, or there is none any more.
        case soundChanged
        case start(MovieOrder)
        case continueIn(MovieOrder)
        case stop(MovieStopReason)
        /// Ends this file; ignored if it has ended already.
        case stopFile(UUID, MovieStopReason)
        case pause
        case resume
        case end

        var startsStream: Bool {
            if case .streamStarted = self { true } else { false }
        }

        /// Whether waiting frames belong to the time before this command.
        var endsSomething: Bool {
            switch self {
            case .streamStopped, .stop, .stopFile, .pause, .end: true
            case .streamStarted, .soundChanged, .start, .continueIn, .resume: false
            }
        }
    }

    struct Progress: Sendable {
        /// Whether a movie was ordered of which the encoder's thread does not know yet.
        var isRequested = false
        var isClosed = false
        /// Since when there is no encoder's thread, in nanoseconds of `CLOCK_MONOTONIC`, and why.
        var lostEncoder: (time: Int64, problem: MovieError)?
        /// Whether the encoder's thread has an order or a movie.
        var isUnderWay = false
        /// The order whose first picture has not come yet.
        var pending: UUID?
        var promised: [UUID] = []
        var isPaused = false
        var duration: Int64 = 0
        var bytes = 0
        var earlierDuration: Int64 = 0
        var earlierBytes = 0
        var maximumBytes: Int?
        var preRoll: Int64 = 0
        var preRollBytes = 0
        var encoderName: String?

        var isRecording: Bool { isRequested || isUnderWay }
        /// Why no movie can be ordered.
        var obstacle: MovieError? { isClosed ? .closed : lostEncoder?.problem }
    }

    let refusals = CodecRefusals()
    let wake: WakeSignal
    /// Becomes ready with ``wake``.
    let idle: Poller
    let frames: FrameQueue
    /// Whether frames are wanted now; read by the camera's thread.
    let wantsFrames = Atomic<Bool>(false)
    /// Frames for which the encoder had no time.
    let dropped = Atomic<Int>(0)
    let undecodable = Atomic<Int>(0)
    /// Frames compressed for a movie or the pre-roll.
    let encoded = Atomic<Int>(0)
    /// Why the last attempt to compress failed.
    let failure = Mutex<MovieError?>(nil)
    /// When the encoder's thread last made progress: nanoseconds of `CLOCK_MONOTONIC`.
    let moved = Atomic<Int64>(0)
    /// Nanoseconds without progress after which an encoder counts as stalled: longer than any
    /// picture takes, even on a busy machine.
    private static let stallLimit: Int64 = 10_000_000_000
    /// Whether the encoder has stalled. A thread that sleeps makes no progress either, so ask only
    /// while there is work.
    func hasStalled(at now: Int64) -> Bool {
        let moved = moved.load(ordering: .relaxed)
        return moved > 0 && now - moved > Self.stallLimit
    }
    /// A longer gap between frames, in nanoseconds, means that the encoder's thread slept
    /// meanwhile, or the whole process did.
    private static let absence: Int64 = 1_000_000_000
    /// When the last frame came, and the value that ``frameArrives(at:)`` last gave ``moved``:
    /// nanoseconds of `CLOCK_MONOTONIC`. Camera's thread only.
    private let arrived = Atomic<Int64>(0)
    private let excused = Atomic<Int64>(0)

    /// Notes a frame. After a long gap the encoder's thread gets its time anew, because the process
    /// may have slept; but only once until it makes progress: all frames may be that far apart.
    func frameArrives(at now: Int64) {
        let last = arrived.exchange(now, ordering: .relaxed)
        guard now - last > Self.absence,
            moved.load(ordering: .relaxed) != excused.load(ordering: .relaxed)
        else { return }
        excused.store(now, ordering: .relaxed)
        moved.store(now, ordering: .relaxed)
    }

    /// Free bytes that the movie may still take, as of the last write; `nil` before it.
    let room = Mutex<Int64?>(nil)
    /// Bytes that wait to be written.
    let unwritten = Atomic<Int>(0)
    /// Since when the file's thread has been busy: nanoseconds of `CLOCK_MONOTONIC`; 0 if idle.
    let writing = Atomic<Int64>(0)
    /// Chunks of sound dropped because nobody took them.
    let soundLost = Atomic<Int>(0)
    /// When the last chunk of sound came: nanoseconds of `CLOCK_MONOTONIC`.
    let heard = Atomic<Int64>(0)
    private let sound = Mutex<[AudioChunk]>([])
    private let subscription = Mutex<Microphone.Listener?>(nil)
    private let commands = Mutex(Commands())
    private let progress = Mutex(Progress())
    private let stream = Mutex<MovieStream?>(nil)

    init(places: Int) throws(SystemCallError) {
        wake = try WakeSignal()
        idle = try Poller.watching(wake)
        frames = FrameQueue(capacity: places)
    }

    private struct Commands {
        var waiting: [Command] = []
        var hasEnded = false
    }

    func post(_ command: Command) {
        commands.withLock { if !$0.hasEnded { $0.waiting.append(command) } }
        wake.signal()
    }

    /// Refuses all further commands; returns the orders that were not obeyed.
    func endCommands() -> [MovieOrder] { takeOrders(forGood: true) }

    private func takeOrders(forGood: Bool) -> [MovieOrder] {
        let left = commands.withLock { commands in
            commands.hasEnded = commands.hasEnded || forGood
            defer { commands.waiting = [] }
            return commands.waiting
        }
        progress.withLock { $0.isRequested = false }
        return left.compactMap { command in
            switch command {
            case .start(let order), .continueIn(let order): order
            default: nil
            }
        }
    }

    /// Notes that there is no encoder's thread any more; returns the orders that were not obeyed.
    func loseEncoder(_ problem: MovieError) -> [MovieOrder] {
        withProgress { progress in
            if progress.lostEncoder == nil { progress.lostEncoder = (Clock.monotonic, problem) }
            wantsFrames.store(false, ordering: .releasing)
        }
        // The camera needs the frames back.
        frames.clear()
        return takeOrders(forGood: false)
    }

    /// Notes that there is an encoder's thread again.
    func findEncoder() {
        moved.store(Clock.monotonic, ordering: .relaxed)
        let wasLost = withProgress { $0.lostEncoder.take() != nil }
        if wasLost { failure.withLock { $0 = nil } }
    }

    /// The oldest waiting command. It stays until it is dropped: a thread that is abandoned before
    /// it obeys leaves the command to its successor.
    var firstCommand: Command? { commands.withLock { $0.waiting.first } }
    func dropFirstCommand() { commands.withLock { _ = $0.waiting.removeFirst() } }

    /// The listener at the session's microphone; `nil` if the session has none.
    var listener: Microphone.Listener? { subscription.withLock { $0 } }

    func listen(to microphone: Microphone?) {
        let listener = microphone?.listen { [weak self] in self?.putSound($0) }
        subscription.withLock { $0 = listener }
        sound.withLock { $0 = [] }
        post(.soundChanged)
    }

    /// Chunks that may wait: several seconds of sound.
    private static let mostChunks = 256

    /// Queues a chunk. Called on the microphone's thread.
    func putSound(_ chunk: AudioChunk) {
        let isLost = sound.withLock { $0.queue(chunk, most: Self.mostChunks) }
        heard.store(Clock.monotonic, ordering: .relaxed)
        if isLost { soundLost.add(1, ordering: .relaxed) }
        wake.signal()
    }

    func takeSound() -> [AudioChunk] {
        sound.withLock { sound in
            defer { sound = [] }
            return sound
        }
    }

    /// The running stream, for a new encoder's thread.
    var currentStream: MovieStream? { stream.withLock { $0 } }

    func startStream(_ new: MovieStream) {
        failure.withLock { $0 = nil }
        stream.withLock { $0 = new }
        moved.store(Clock.monotonic, ordering: .relaxed)
        post(.streamStarted(new))
    }

    func stopStream(willRestart: Bool) {
        if !willRestart { stream.withLock { $0 = nil } }
        post(.streamStopped(willRestart: willRestart))
    }

    /// Resets an abandoned thread's progress; returns the orders of which no picture has come.
    func forgetRecording() -> [UUID] {
        progress.withLock { progress in
            let former = progress
            progress = Progress()
            progress.isRequested = former.isRequested
            progress.isClosed = former.isClosed
            progress.lostEncoder = former.lostEncoder
            return [former.pending].compactMap(\.self) + former.promised
        }
    }

    func withProgress<Value: Sendable>(_ body: (inout Progress) -> Value) -> Value {
        progress.withLock { body(&$0) }
    }
}

/// The camera's stream, and how its pictures are turned and stabilized.
struct MovieStream: Sendable {
    var description: StreamDescription
    var orientation: ExifOrientation
    var isStabilized: Bool

    /// Whether one movie may contain pictures of both streams: same camera, same size and format.
    func hasSamePictures(as other: MovieStream) -> Bool {
        let cameras = (description.camera, other.description.camera)
        let areOfOneCamera =
            switch cameras {
            case (let one?, let another?): one.isSameCamera(as: another)
            default: true
            }
        return areOfOneCamera && description.frame == other.description.frame
    }
}
