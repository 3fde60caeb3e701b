// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
internal import Codecs
public import FoundationEssentials
public import LinuxIO
public import Media
internal import Synchronization

/// How movies are recorded.
public struct MovieSettings: Sendable {
    /// What a movie has from before it was asked for: nanoseconds, 0 for nothing. Then every frame is compressed, all
    /// the time.
    public var preRoll: Int64 = 0
    /// How much later than its moment an order may come, and still have all of its pre-roll: nanoseconds. A gesture takes
    /// so long to be known, and a slow disk to note the movie.
    public var orderDelay: Int64 = 2_000_000_000
    /// Memory for it, in bytes, an eighth of it for its sound; where it does not do, the pre-roll is shorter, but for
    /// one key frame.
    public var largestPreRollBytes = 32 << 20
    /// Whether movies are to be expected: what the encoder needs is loaded beforehand, which takes seconds from a card.
    public var isExpected = false
    /// Who compresses.
    public enum Encoder: Sendable {
        /// The first that can: the camera itself, V4L2 with the camera's own memory, ``v4l2m2m``, ``x264``.
        case automatic
        /// A V4L2 device, which reads the camera's own memory.
        case v4l2
        /// libavcodec's `h264_v4l2m2m`, which copies into a V4L2 device.
        case v4l2m2m
        /// libavcodec's `libx264`, on the processor.
        case x264
    }
    /// Who compresses.
    public var encoder = Encoder.automatic
    /// Whether shaking is taken out of the pictures, as their connection says.
    var isStabilized = false
    /// Into what: other than ``PixelFormat/h264`` no player knows.
    package var format = PixelFormat.h264
    /// More bytes that wait to be written, and the disk is too slow.
    package var mostUnwrittenBytes = 64 << 20
    /// x264's constant rate factor, 0 (lossless) to 51; encoders in hardware have a bit rate that corresponds.
    public var quality = 23
    /// x264's preset.
    public var preset = "superfast"

    /// The defaults: no pre-roll.
    public init() {}
}

/// What happens to recordings, each of which ends with `finished` or `failed`.
public enum MovieEvent: Sendable {
    /// Its file is there, and its first picture on the way to it.
    case started(UUID)
    /// It is complete, whatever the reason of its end.
    case finished(FinishedMovie)
    /// There is no movie, or what there is could not be finished: its file is left as it is then.
    case failed(UUID, MovieError)
}

/// Records the running stream to MP4 files of H.264 (AVCaptureMovieFileOutput), one at a time, with the session's
/// sound as AAC where it has a microphone.
///
/// Frames reach the encoder in the camera's own memory, through a queue of a few; those for which it has no time are
/// counted and missing in the movie, whose times stay right. A file that a crash has cut off plays, and
/// `MovieFile.mend(_:)` finishes it.
public final class MovieFileOutput: CaptureOutput {
    /// Waiting for the encoder.
    private static let places = 3

    private let mailbox: MovieMailbox
    private let keepsPreRoll: Bool
    /// On the frames' way to the encoder.
    private let gate = Gate()
    private let threads: EncoderThreads
    private let inbox: MovieWriter.Inbox
    private let stalls: AsyncStream<Void>.Continuation
    private let writing: Task<Void, Never>
    /// What happens, in order. For one reader.
    public let events: AsyncStream<MovieEvent>

    /// Starts its threads. Throws when the process is out of descriptors.
    public init(_ settings: MovieSettings = MovieSettings()) throws(SystemCallError) {
        let mailbox = try MovieMailbox(places: Self.places)
        let (events, continuation) = AsyncStream.makeStream(of: MovieEvent.self)
        let (inbox, writing) = MovieWriter.start(mailbox) { continuation.yield($0) }
        self.mailbox = mailbox
        keepsPreRoll = settings.preRoll > 0
        isVideoStabilizationSupported = settings.encoder != .v4l2
        self.events = events
        self.writing = Task {
            await writing.value
            continuation.finish()
        }
        self.inbox = inbox
        let threads = EncoderThreads(mailbox, settings, inbox)
        self.threads = threads
        let (stallEvents, stalls) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.stalls = stalls
        Task { for await _ in stallEvents { threads.replaceHanging() } }
    }

    deinit {
        stalls.finish()
        mailbox.post(.end)
    }

    /// Whether a movie is being recorded, or is about to be.
    public var isRecording: Bool { mailbox.withProgress { $0.isRecording } }
    /// Whether what comes from the camera is left out for now.
    public var isRecordingPaused: Bool { mailbox.withProgress { $0.isPaused } }
    /// Of the file that is being recorded, pauses left out; nanoseconds.
    public var recordedDuration: Int64 { mailbox.withProgress { $0.duration } }
    /// The same in bytes.
    public var recordedFileSize: Int { mailbox.withProgress { $0.bytes } }
    /// Of the movie in all the files in which it has gone on: nanoseconds, and bytes.
    public var recordedInAll: (duration: Int64, bytes: Int) {
        mailbox.withProgress { progress in
            (progress.earlierDuration + progress.duration, progress.earlierBytes + progress.bytes)
        }
    }
    /// Why nothing can be compressed, as of the last try: whoever wants a movie has none. `nil` where nobody has tried, and
    /// from the next encoder or stream on.
    public var encoderProblem: MovieError? {
        mailbox.withProgress { $0.lostEncoder?.problem } ?? mailbox.failure.withLock { $0 }
    }
    /// Since when nothing can be recorded because encoders stood still again and again: nanoseconds of `CLOCK_MONOTONIC`;
    /// `nil` where something can. Only a new process is sure to help.
    public var encoderLostTime: Int64? { mailbox.withProgress { $0.lostEncoder?.time } }
    /// Since when the file has been waited for, which is begun, takes what has come, or is ended: nanoseconds of
    /// `CLOCK_MONOTONIC`; `nil` where it is not. After many seconds its disk may not answer.
    public var fileWaitTime: Int64? {
        let since = mailbox.writing.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }
    /// Where nothing can be recorded because encoders stood still: looks whether one of them has been let go. To be called now
    /// and then.
    public func findEncoder() {
        if encoderLostTime != nil { threads.replaceHanging() }
    }
    /// How long it can go on before its largest size or the free space ends it, at the rate of so far, in all the files in
    /// which it has gone on: nanoseconds; `nil` before a second of it is written, and when nothing is recorded.
    public var recordableDuration: Int64? {
        let room = mailbox.room.withLock(\.self)
        let progress = mailbox.withProgress(\.self)
        let duration = progress.earlierDuration + progress.duration
        let bytes = progress.earlierBytes + progress.bytes
        guard let room, duration >= 1_000_000_000, bytes > 0 else { return nil }
        let inFile = progress.maximumBytes.map { Int64(max($0 - progress.bytes, 0)) }
        let left = min(room, inFile ?? .max)
        let seconds = Double(left) / Double(bytes) * Double(duration) / 1e9
        return Int64(min(seconds, Self.longest) * 1e9)
    }
    /// Seconds that nobody waits for the end of: a year.
    private static let longest = 31_536_000.0
    /// Loads what compressing needs, which the first movie's first picture would wait for else: from a slow card seconds.
    /// Returns when that is done, or why it cannot be the movie will say.
    public func prepareToRecord() async {
        let isStabilized = mailbox.currentStream?.isStabilized ?? false
        await withCheckedContinuation { continuation in
            _ = NamedThread("movie-library") {
                _ = try? VideoEncoder.load()
                if isStabilized { _ = try? VideoEncoder.loadStabilizer() }
                continuation.resume()
            }
        }
    }
    /// What a movie would have from before its beginning: nanoseconds, and bytes of memory for it.
    public var preRoll: (duration: Int64, bytes: Int) {
        mailbox.withProgress { ($0.preRoll, $0.preRollBytes) }
    }
    /// Who compresses, for people; `nil` before there was anything to.
    public var encoderName: String? { mailbox.withProgress { $0.encoderName } }
    /// Frames that came while the encoder was behind, so far: they are in no movie.
    public var framesDropped: Int { mailbox.dropped.load(ordering: .relaxed) }
    /// Chunks of sound that came while nobody took them, so far: they are in no movie.
    public var soundChunksDropped: Int { mailbox.soundLost.load(ordering: .relaxed) }
    /// Frames that were no pictures.
    public var framesUndecodable: Int { mailbox.undecodable.load(ordering: .relaxed) }
    /// Frames that were compressed, for the pre-roll too.
    public var framesEncoded: Int { mailbox.encoded.load(ordering: .relaxed) }

    /// Begins a movie. What comes of it ``events`` tell. Any thread; never blocks.
    ///
    /// - Throws: ``MovieError/Code/alreadyRecording``, ``MovieError/Code/closed``; ``MovieError/Code/noEncoder`` where
    ///   encoders stood still again and again.
    public func startRecording(_ order: MovieOrder) throws(MovieError) {
        findEncoder()
        let obstacle = mailbox.withProgress { [mailbox] progress -> MovieError? in
            if let obstacle = progress.obstacle { return obstacle }
            if progress.isRecording {
                return MovieError(.alreadyRecording, "a movie is being recorded already")
            }
            progress.isRequested = true
            mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
            // The frames of now are wanted, whenever the encoder's thread wakes up.
            mailbox.wantsFrames.store(true, ordering: .releasing)
            mailbox.listener?.setWanted(true)
            // Within the lock: no end comes before it.
            mailbox.post(.start(order))
            return nil
        }
        if let obstacle { throw obstacle }
    }

    /// Has the movie go on in another file from its next key frame on: no picture is in both, and none in neither. What
    /// had been recorded ends as ``MovieStopReason/continued``, whose event comes before the other's.
    ///
    /// Its limits count for each file. Any thread; never blocks. Where nothing is being recorded, or it ends before that key
    /// frame, the order fails as ``events`` tell. Before the first picture it counts from that on, in a pause from its end.
    ///
    /// - Throws: ``MovieError/Code/closed``; ``MovieError/Code/noEncoder`` as ``startRecording(_:)``.
    public func continueRecording(in order: MovieOrder) throws(MovieError) {
        let obstacle = mailbox.withProgress { [mailbox] progress -> MovieError? in
            if let obstacle = progress.obstacle { return obstacle }
            // Within the lock: no end comes before it.
            mailbox.post(.goOn(order))
            return nil
        }
        if let obstacle { throw obstacle }
    }

    /// Ends the movie; nothing happens when none is being recorded.
    public func stopRecording() { mailbox.post(.stop(.requested)) }

    /// Leaves out what comes from now on, until ``resumeRecording()``.
    public func pauseRecording() { mailbox.post(.pause) }

    /// Goes on after ``pauseRecording()``, as if nothing had been in between.
    public func resumeRecording() { mailbox.post(.resume) }

    /// Ends what is being recorded, and returns when its file is complete. Nothing can be recorded afterwards.
    public func close() async {
        gate.close()
        mailbox.withProgress { [mailbox] progress in
            progress.isClosed = true
            mailbox.wantsFrames.store(false, ordering: .releasing)
            mailbox.post(.end)
        }
        // No frame comes any more by which it would show that the encoder stands still.
        let watch = Task { [mailbox, threads, inbox] in
            var last = Clock.monotonic
            while (try? await Task.sleep(for: .milliseconds(500))) != nil {
                let now = Clock.monotonic
                let wasAway = now - last > 1_000_000_000
                last = now
                // With the whole process, perhaps.
                guard !wasAway, threads.giveUp() else { continue }
                mailbox.frames.clear()
                for order in mailbox.endCommands() {
                    inbox.post(.refuse(order.id, MovieError(.closed, "the encoder stands still")))
                }
                inbox.finish()
                return
            }
        }
        await writing.value
        watch.cancel()
        mailbox.listen(to: nil)
    }

    // MARK: CaptureOutput

    /// Those that wait, and the one that is being compressed.
    public var heldFrames: Int { Self.places + 1 }

    /// While a movie is recorded.
    public var mustNotBeInterrupted: Bool { isRecording }

    /// Turns are noted in the file; its pictures stay as the camera delivered them.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool {
        Rotation(rawValue: degrees) != nil
    }

    /// `true`: noted in the file, too.
    public var isVideoMirroringSupported: Bool { true }

    /// By libavfilter, on the encoder's thread: frames for which it has no time are missing. What a camera or a device has
    /// compressed cannot be had then: not where the settings insist on ``MovieSettings/Encoder/v4l2``.
    public let isVideoStabilizationSupported: Bool

    /// A movie that was being recorded goes on with the same camera's pictures, and ends with others; so does the pre-roll.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        mailbox.startStream(
            MovieStream(
                description: stream, orientation: connection.orientation,
                isStabilized: connection.preferredVideoStabilizationMode != .off))
        mailbox.withProgress { [mailbox, keepsPreRoll] progress in
            if keepsPreRoll, progress.obstacle == nil {
                mailbox.wantsFrames.store(true, ordering: .releasing)
            }
        }
    }

    /// Hands the frame to the encoder, when somebody wants movies.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        guard mailbox.wantsFrames.load(ordering: .acquiring) else { return }
        let now = Clock.monotonic
        mailbox.frameArrives(at: now)
        if gate.pass({ mailbox.frames.put(frame.another()) }) {
            mailbox.wake.signal()
        } else {
            mailbox.dropped.add(1, ordering: .relaxed)
            if mailbox.isToBeLookedAt(at: now) { stalls.yield() }
        }
    }

    /// What is being recorded ends here, unless the stream is only agreed anew.
    public func streamDidStop(willRestart: Bool) {
        mailbox.stopStream(willRestart: willRestart)
    }

    /// What is recorded from now on has this microphone's sound. A movie that is being recorded goes on with the sound
    /// of another of the same format, else without any.
    public func soundSourceDidChange(_ microphone: Microphone?) {
        mailbox.listen(to: microphone)
    }
}
