// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
internal import Codecs
public import FoundationEssentials
public import LinuxIO
public import Media
internal import Synchronization

/// The settings with which movies are recorded.
public struct MovieSettings: Sendable {
    /// Nanoseconds of video from before the order that a movie contains; 0 for none. A pre-roll
    /// compresses every frame, all the time.
    public var preRoll: Int64 = 0
    /// Nanoseconds by which an order may come after its moment and still get its whole pre-roll:
    /// recognizing a gesture and noting the movie on a slow disk take time.
    public var orderDelay: Int64 = 2_000_000_000
    /// Bytes of memory for the pre-roll, an eighth of them for sound. If they do not suffice, the
    /// pre-roll is shorter; only a single key frame may exceed them.
    public var largestPreRollBytes = 32 << 20
    /// Whether movies are expected. The encoder's libraries are then loaded ahead, which takes
    /// seconds from an SD card.
    public var isExpected = false
    /// The encoders to choose from.
    public enum Encoder: Sendable {
        /// The first that works: the camera itself, a V4L2 device that reads the camera's memory,
        /// ``v4l2m2m``, ``x264``.
        case automatic
        /// A V4L2 device that reads the camera's own memory.
        case v4l2
        /// libavcodec's `h264_v4l2m2m`, which copies pictures into a V4L2 device.
        case v4l2m2m
        /// libavcodec's `libx264`, on the CPU.
        case x264
    }
    /// The encoder to use.
    public var encoder = Encoder.automatic
    /// Whether pictures are stabilized, as their connection says.
    var isStabilized = false
    /// The format of the compressed video. Players only know ``PixelFormat/h264``.
    package var format = PixelFormat.h264
    /// Bytes that may wait to be written; beyond them the disk counts as too slow.
    package var mostUnwrittenBytes = 64 << 20
    /// x264's constant rate factor, 0 (lossless) to 51. Hardware gets a corresponding bit rate.
    public var quality = 23
    /// x264's preset.
    public var preset = "superfast"

    /// Creates the defaults: no pre-roll.
    public init() {}
}

/// A step in the life of a recording. Each recording ends with `finished` or `failed`.
public enum MovieEvent: Sendable {
    /// The file exists, and its first picture is about to be written.
    case started(UUID)
    /// The file is complete, whatever ended the recording.
    case finished(FinishedMovie)
    /// There is no movie, or its file could not be finished and stays as it is.
    case failed(UUID, MovieError)
}

/// Records the running stream to MP4 files of H.264, one at a time, with the sound of the session's
/// microphone as AAC (AVCaptureMovieFileOutput). Frames reach the encoder in the camera's own
/// memory, through a short queue. Frames for which the encoder has no time are dropped and counted;
/// the movie's times stay right. A file cut off by a crash plays, and `MovieFile.mend(_:)` finishes
/// it.
public final class MovieFileOutput: CaptureOutput {
    /// Frames that may wait for the encoder.
    private static let places = 3

    private let mailbox: MovieMailbox
    private let keepsPreRoll: Bool
    /// Between the camera's thread and the encoder; closed with the output.
    private let gate = Gate()
    private let threads: EncoderThreads
    private let inbox: MovieWriter.Inbox
    private let stalls: AsyncStream<Void>.Continuation
    private let writing: Task<Void, Never>
    /// The events in order, for one reader.
    public let events: AsyncStream<MovieEvent>

    /// Starts the output's threads. Throws when the process is out of descriptors.
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

    /// Whether a movie is being recorded or has been ordered.
    public var isRecording: Bool { mailbox.withProgress { $0.isRecording } }
    /// Whether the recording is paused.
    public var isRecordingPaused: Bool { mailbox.withProgress { $0.isPaused } }
    /// The duration of the file being recorded, without pauses, in nanoseconds.
    public var recordedDuration: Int64 { mailbox.withProgress { $0.duration } }
    /// The size of the file being recorded, in bytes.
    public var recordedFileSize: Int { mailbox.withProgress { $0.bytes } }
    /// The movie's duration in nanoseconds and its bytes, over all files in which it was continued.
    public var recordedInAll: (duration: Int64, bytes: Int) {
        mailbox.withProgress { progress in
            (progress.earlierDuration + progress.duration, progress.earlierBytes + progress.bytes)
        }
    }
    /// Why the last attempt to compress failed, or `nil`. A new encoder or stream clears it.
    public var encoderProblem: MovieError? {
        mailbox.withProgress { $0.lostEncoder?.problem } ?? mailbox.failure.withLock { $0 }
    }
    /// Since when nothing can be recorded because encoders stalled repeatedly, in nanoseconds of
    /// `CLOCK_MONOTONIC`; `nil` if recording is possible. Only a new process is sure to help.
    public var encoderLostTime: Int64? { mailbox.withProgress { $0.lostEncoder?.time } }
    /// Since when the file's operation has lasted, in nanoseconds of `CLOCK_MONOTONIC`; `nil` if
    /// there is none. A wait of many seconds suggests that the disk does not answer.
    public var fileWaitTime: Int64? {
        let since = mailbox.writing.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }
    /// Starts another encoder thread if recording is impossible and a stalled thread has ended
    /// since. Call it now and then.
    public func findEncoder() {
        if encoderLostTime != nil { threads.replaceHanging() }
    }
    /// Nanoseconds until the maximum size or the free space ends the recording, at the average rate
    /// of all its files; `nil` before a second is recorded, and when nothing is being recorded.
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
    /// An upper limit of ``recordableDuration`` in seconds: a year.
    private static let longest = 31_536_000.0
    /// Loads the encoder's libraries, which the first picture would wait for otherwise: seconds
    /// from a slow card. Returns when they are loaded, or cannot be: the next movie reports why.
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
    /// The pre-roll that a movie would get now: nanoseconds, and the bytes of memory it takes.
    public var preRoll: (duration: Int64, bytes: Int) {
        mailbox.withProgress { ($0.preRoll, $0.preRollBytes) }
    }
    /// The encoder's name for people; `nil` before the first encoder was made.
    public var encoderName: String? { mailbox.withProgress { $0.encoderName } }
    /// Frames dropped because the encoder was behind.
    public var framesDropped: Int { mailbox.dropped.load(ordering: .relaxed) }
    /// Chunks of sound dropped because nobody took them in time.
    public var soundChunksDropped: Int { mailbox.soundLost.load(ordering: .relaxed) }
    /// Frames that could not be decoded.
    public var framesUndecodable: Int { mailbox.undecodable.load(ordering: .relaxed) }
    /// Frames compressed, including those for the pre-roll.
    public var framesEncoded: Int { mailbox.encoded.load(ordering: .relaxed) }

    /// Begins a movie; ``events`` reports its progress. Any thread; never blocks. Throws
    /// ``MovieError/Code/alreadyRecording``, ``MovieError/Code/closed``, or
    /// ``MovieError/Code/noEncoder`` if encoders stalled repeatedly.
    public func startRecording(_ order: MovieOrder) throws(MovieError) {
        findEncoder()
        let obstacle = mailbox.withProgress { [mailbox] progress -> MovieError? in
            if let obstacle = progress.obstacle { return obstacle }
            if progress.isRecording {
                return MovieError(.alreadyRecording, "a movie is being recorded already")
            }
            progress.isRequested = true
            mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
            // Frames are wanted at once, even before the encoder's thread wakes up.
            mailbox.wantsFrames.store(true, ordering: .releasing)
            mailbox.listener?.setWanted(true)
            // Posted within the lock, so that no `end` is posted before it.
            mailbox.post(.start(order))
            return nil
        }
        if let obstacle { throw obstacle }
    }

    /// Continues the movie in another file from the next key frame on: every picture is in exactly
    /// one of the files. The first file ends as ``MovieStopReason/continued``; its event comes
    /// before those of the next. The order's limits apply to its own file. If nothing is being
    /// recorded, or the recording ends before that key frame, the order fails in ``events``. An
    /// order before the first picture takes effect after that picture; an order during a pause,
    /// after the pause. Any thread; never blocks.
    /// - Throws: ``MovieError/Code/closed``; ``MovieError/Code/noEncoder`` as
    ///   ``startRecording(_:)``.
    public func continueRecording(in order: MovieOrder) throws(MovieError) {
        let obstacle = mailbox.withProgress { [mailbox] progress -> MovieError? in
            if let obstacle = progress.obstacle { return obstacle }
            // Posted within the lock, so that no `end` is posted before it.
            mailbox.post(.continueIn(order))
            return nil
        }
        if let obstacle { throw obstacle }
    }

    /// Ends the movie; does nothing if none is being recorded.
    public func stopRecording() { mailbox.post(.stop(.requested)) }

    /// Leaves out all frames and sound from now on, until ``resumeRecording()``.
    public func pauseRecording() { mailbox.post(.pause) }

    /// Continues after ``pauseRecording()``; the pause takes no time in the movie.
    public func resumeRecording() { mailbox.post(.resume) }

    /// Ends the recording; returns when its file is complete. Nothing can be recorded afterwards.
    public func close() async {
        gate.close()
        mailbox.withProgress { [mailbox] progress in
            progress.isClosed = true
            mailbox.wantsFrames.store(false, ordering: .releasing)
            mailbox.post(.end)
        }
        // Frames no longer arrive and reveal a stalled encoder, so this task checks for one.
        let watch = Task { [mailbox, threads, inbox] in
            var last = Clock.monotonic
            while (try? await Task.sleep(for: .milliseconds(500))) != nil {
                let now = Clock.monotonic
                let wasAway = now - last > 1_000_000_000
                last = now
                // After a gap the whole process may have slept, not the encoder alone.
                guard !wasAway, threads.giveUp() else { continue }
                mailbox.frames.clear()
                for order in mailbox.endCommands() {
                    inbox.post(.refuse(order.id, MovieError(.closed, "the encoder has stalled")))
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

    /// The frames that wait, and the one that is being compressed.
    public var heldFrames: Int { Self.places + 1 }

    /// `true` while a movie is recorded.
    public var mustNotBeInterrupted: Bool { isRecording }

    /// Whether `degrees` is 0, 90, 180 or 270. The file stores the rotation; pixels are not turned.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool {
        Rotation(rawValue: degrees) != nil
    }

    /// `true`: mirroring is stored in the file, too.
    public var isVideoMirroringSupported: Bool { true }

    /// Whether libavfilter can stabilize the pictures, on the encoder's thread, which may drop
    /// frames for it. `false` if the settings insist on ``MovieSettings/Encoder/v4l2``: pictures
    /// compressed by a camera or device cannot be stabilized.
    public let isVideoStabilizationSupported: Bool

    /// Continues a recording and the pre-roll if camera and pictures are the same; else ends them.
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

    /// Hands the frame to the encoder if a movie or a pre-roll wants it.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        guard mailbox.wantsFrames.load(ordering: .acquiring) else { return }
        let now = Clock.monotonic
        mailbox.frameArrives(at: now)
        if gate.pass({ mailbox.frames.put(frame.another()) }) {
            mailbox.wake.signal()
        } else {
            mailbox.dropped.add(1, ordering: .relaxed)
            if mailbox.hasStalled(at: now) { stalls.yield() }
        }
    }

    /// Ends the recording, unless the stream is only about to restart.
    public func streamDidStop(willRestart: Bool) {
        mailbox.stopStream(willRestart: willRestart)
    }

    /// Takes the sound of this microphone from now on. A movie being recorded continues with it if
    /// the format is the same, and without sound otherwise.
    public func soundSourceDidChange(_ microphone: Microphone?) {
        mailbox.listen(to: microphone)
    }
}
