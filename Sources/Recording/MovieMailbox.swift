// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import FoundationEssentials
internal import LinuxIO
internal import Media
internal import Synchronization

/// What the encoder's thread is told, in order, and what others may see of it.
final class MovieMailbox: Sendable {
    enum Command: Sendable {
        case streamStarted(MovieStream)
        case streamStopped(willRestart: Bool)
        /// Sound from now on is another microphone's, or there is none.
        case soundChanged
        case start(MovieOrder)
        /// The movie is to go on in another file.
        case goOn(MovieOrder)
        case stop(MovieStopReason)
        /// The same of this file, unless that has ended by itself.
        case stopFile(UUID, MovieStopReason)
        case pause
        case resume
        /// The thread is to end.
        case end

        var startsStream: Bool {
            if case .streamStarted = self { true } else { false }
        }

        /// Whether frames that wait belong to what was before it.
        var endsSomething: Bool {
            switch self {
            case .streamStopped, .stop, .stopFile, .pause, .end: true
            case .streamStarted, .soundChanged, .start, .goOn, .resume: false
            }
        }
    }

    /// How far the recording is.
    struct Progress: Sendable {
        /// Ordered, and the encoder's thread does not know it yet.
        var isRequested = false
        /// Nothing is recorded any more.
        var isClosed = false
        /// Since when there is no encoder's thread, nanoseconds of `CLOCK_MONOTONIC`, and why nothing can be recorded.
        var lostEncoder: (time: Int64, problem: MovieError)?
        /// The encoder's thread has an order, or a movie.
        var isUnderWay = false
        /// The order of which no picture has come yet.
        var pending: UUID?
        /// Those in which the movie is to go on.
        var promised: [UUID] = []
        var isPaused = false
        var duration: Int64 = 0
        var bytes = 0
        /// In the files before this one.
        var earlierDuration: Int64 = 0
        var earlierBytes = 0
        var maximumBytes: Int?
        var preRoll: Int64 = 0
        var preRollBytes = 0
        var encoderName: String?

        var isRecording: Bool { isRequested || isUnderWay }
        /// Why nothing can be ordered.
        var obstacle: MovieError? { isClosed ? .closed : lostEncoder?.problem }
    }

    /// Encoders that stood still.
    let refusals = EncoderRefusals()
    let wake: WakeSignal
    /// Wakes up with ``wake``.
    let idle: Poller
    let frames: FrameQueue
    /// Whether frames are of use now; the camera's thread asks.
    let wantsFrames = Atomic<Bool>(false)
    /// Frames for which the encoder had no time.
    let dropped = Atomic<Int>(0)
    /// Frames that were no pictures.
    let undecodable = Atomic<Int>(0)
    /// Frames that became pictures of a movie, or of the pre-roll.
    let encoded = Atomic<Int>(0)
    /// Why nothing could be compressed when that was last tried.
    let failure = Mutex<MovieError?>(nil)
    /// When the encoder's thread had done something last: nanoseconds of `CLOCK_MONOTONIC`.
    let moved = Atomic<Int64>(0)
    /// When it was looked at last: nanoseconds of `CLOCK_MONOTONIC`. The camera's thread.
    private let looked = Atomic<Int64>(0)
    /// Whether it has done nothing for longer than a frame takes, and is to be looked at now. The camera's thread.
    func isToBeLookedAt(at now: Int64) -> Bool {
        let isDue = StandstillWatch.isDue(
            at: now, moved: moved.load(ordering: .relaxed), looked: looked.load(ordering: .relaxed))
        if isDue { looked.store(now, ordering: .relaxed) }
        return isDue
    }
    /// Farther apart, the encoder's thread slept between two frames, or the whole process did; nanoseconds.
    private static let absence: Int64 = 1_000_000_000
    /// When a frame came last, and what ``moved`` was set to for one: nanoseconds of `CLOCK_MONOTONIC`. The camera's
    /// thread.
    private let arrived = Atomic<Int64>(0)
    private let excused = Atomic<Int64>(0)

    /// Who has been away cannot tell whether the encoder's thread stood still meanwhile: it gets its time anew. Not twice:
    /// frames may always be so far apart.
    func frameArrives(at now: Int64) {
        let last = arrived.exchange(now, ordering: .relaxed)
        guard now - last > Self.absence,
            moved.load(ordering: .relaxed) != excused.load(ordering: .relaxed)
        else { return }
        excused.store(now, ordering: .relaxed)
        moved.store(now, ordering: .relaxed)
    }

    /// Bytes of free space that the movie may still take, as of the last that was written; `nil` before that.
    let room = Mutex<Int64?>(nil)
    /// Bytes that wait to be written.
    let unwritten = Atomic<Int>(0)
    /// Since when the file's thread has been at the piece of work that it is at: nanoseconds of `CLOCK_MONOTONIC`; 0 at
    /// none.
    let writing = Atomic<Int64>(0)
    /// Chunks of sound that came while nobody took them; they are in no movie.
    let soundLost = Atomic<Int>(0)
    /// When one came last: nanoseconds of `CLOCK_MONOTONIC`.
    let heard = Atomic<Int64>(0)
    private let sound = Mutex<[AudioChunk]>([])
    private let ear = Mutex<Microphone.Listener?>(nil)
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

    /// Nobody obeys any more.
    ///
    /// - Returns: the orders that nobody has obeyed.
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
            case .start(let order), .goOn(let order): order
            default: nil
            }
        }
    }

    /// There is no encoder's thread any more.
    ///
    /// - Returns: the orders that nobody obeys.
    func loseEncoder(_ problem: MovieError) -> [MovieOrder] {
        withProgress { progress in
            if progress.lostEncoder == nil { progress.lostEncoder = (Clock.monotonic, problem) }
            wantsFrames.store(false, ordering: .releasing)
        }
        // The camera needs them.
        frames.clear()
        return takeOrders(forGood: false)
    }

    /// There is one again.
    func findEncoder() {
        moved.store(Clock.monotonic, ordering: .relaxed)
        let wasLost = withProgress { $0.lostEncoder.take() != nil }
        if wasLost { failure.withLock { $0 = nil } }
    }

    /// The oldest that waits. Stays until it is dropped: an encoder's thread that is given up on the way to it leaves
    /// it to its successor.
    var firstCommand: Command? { commands.withLock { $0.waiting.first } }
    func dropFirstCommand() { commands.withLock { _ = $0.waiting.removeFirst() } }

    /// To the session's microphone; `nil` where it has none.
    var listener: Microphone.Listener? { ear.withLock { $0 } }

    func listen(to microphone: Microphone?) {
        let listener = microphone?.listen { [weak self] in self?.putSound($0) }
        ear.withLock { $0 = listener }
        sound.withLock { $0 = [] }
        post(.soundChanged)
    }

    /// Some seconds of it.
    private static let mostChunks = 256

    /// From the microphone's thread.
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

    /// What runs now, for an encoder's thread that takes over.
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

    /// The encoder's thread was given up: it has nothing any more.
    ///
    /// - Returns: the orders of which no picture has come.
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

/// What the camera delivers, and how its pictures are turned.
struct MovieStream: Sendable {
    var description: StreamDescription
    var orientation: ExifOrientation
    var isStabilized: Bool

    /// Whether one movie may have pictures of both: they are of one camera, and alike.
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
