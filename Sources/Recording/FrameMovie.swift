// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import FoundationEssentials
internal import LinuxIO
public import Media

/// A movie made of single frames with times of their own, such as a timelapse or a loop. The actor
/// runs on its own thread. A frame survives a power cut when the call that adds it returns. A file
/// that is cut off plays, and `MovieFile.mend(_:)` finishes it.
public actor FrameMovie {
    /// One thread per movie: a disk that does not answer blocks it.
    private let executor = ThreadExecutor("frame-movie")
    /// The executor of the thread "frame-movie".
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private let order: MovieOrder
    private var settings: MovieSettings
    private let frameInterval: Int64
    private var pipeline: EncodingPipeline?
    private var description: FrameDescription?
    private var movie: MovieFile?
    private var about: Beginning?
    /// Why nothing more can be written.
    private var failure: SystemCallError?
    /// The most frames in one movie, which must be read as a whole to be taken into the library.
    private let mostFrames: Int
    /// The number of frames in the movie.
    public private(set) var frameCount = 0

    private struct Beginning {
        let clocks: ClockReadings
        let origin: Int64
        let orientation: ExifOrientation
        let thumbnail: [UInt8]?
        /// The track, known with the first samples.
        var track: MovieTrack?
    }

    /// Creates a movie of frames that are shown for `frameInterval` nanoseconds each. Nothing is
    /// written before the first one. Only the order's limit of free space applies.
    public init(_ order: MovieOrder, _ settings: MovieSettings, frameInterval: Int64) {
        self.init(order, settings, frameInterval: frameInterval, mostFrames: 100_000)
    }

    package init(
        _ order: MovieOrder, _ settings: MovieSettings, frameInterval: Int64, mostFrames: Int
    ) {
        self.mostFrames = mostFrames
        self.order = order
        self.settings = settings
        // A device could not import frames in memory of their own, and x264 has time enough.
        self.settings.encoder = .x264
        self.frameInterval = frameInterval
    }

    /// Appends a frame, and gives it back to the camera before it waits for the disk. A frame that
    /// cannot be decoded is left out: ``frameCount`` does not change.
    /// - Returns: why the movie should end without the frame: another format, less free space than
    ///   the order demands, or 100,000 frames; `nil` otherwise.
    /// - Throws: if there is no encoder, or the file cannot be written. What is in the file stays.
    public func append(_ frame: CapturedFrame) throws(MovieError) -> MovieStopReason? {
        if let reason = try begin(frame) { return reason }
        if frameCount >= mostFrames { return .maximumFileSize }
        let origin = about?.origin ?? 0
        let time = origin + Int64(frameCount) * frameInterval
        let samples = try encode([frame], at: [time])
        _ = frame.takeLease()
        if samples.isEmpty { return nil }
        try write(samples, until: time + frameInterval)
        frameCount += samples.count
        return nil
    }

    /// Appends frames forward and backward in turn, `rounds` times, which alone limits the length.
    /// The first and last frame appear once per round. Throws as ``append(_:)`` does;
    /// ``MovieError/Code/noFrames`` for fewer than two frames.
    public func appendLoop(
        _ frames: [CapturedFrame], rounds: Int
    ) throws(MovieError) -> MovieStopReason? {
        guard frames.count > 1 else {
            throw MovieError(.noFrames, "a loop of \(frames.count) frames")
        }
        if let reason = try begin(frames[0]) { return reason }
        let times = frames.map(\.info.timestamp)
        let end = times[times.count - 1]
        let back = frames.indices.dropFirst().dropLast().reversed()
        let round = try encode(
            frames + back.map { frames[$0] }, at: times + back.map { 2 * end - times[$0] })
        let length = 2 * (end - times[0])
        var samples: [EncodedSample] = []
        for number in 0..<max(rounds, 1) {
            // A round begins with a key frame, so its samples can be repeated.
            for var sample in round {
                sample.time += Int64(number) * length
                samples.append(sample)
            }
        }
        try write(samples, until: times[0] + Int64(max(rounds, 1)) * length)
        frameCount += samples.count
        return nil
    }

    /// Completes the file. Throws ``MovieError/Code/noFrames`` if the file is empty, or
    /// ``MovieError/Code/storage``.
    public func finish(_ reason: MovieStopReason) throws(MovieError) -> FinishedMovie {
        pipeline = nil
        if let failure { throw storageError(failure) }
        guard let about, let track = about.track, let file = movie.take(), !file.isEmpty else {
            throw MovieError(.noFrames, "the recording ended before its first picture")
        }
        let duration = file.duration
        let bytes: Int
        do throws(SystemCallError) {
            bytes = try file.finish()
        } catch {
            throw storageError(error)
        }
        return FinishedMovie(
            id: order.id, path: order.path, duration: duration, bytes: bytes,
            dimensions: track.dimensions, orientation: track.orientation,
            wallTime: about.clocks.wallTime, utcOffset: about.clocks.utcOffset,
            clockIsRight: about.clocks.isRight, bootTime: about.clocks.bootTime,
            stopReason: reason, error: nil, thumbnail: about.thumbnail)
    }

    /// Prepares for the first frame, and returns why the movie should end without this frame.
    private func begin(_ frame: CapturedFrame) throws(MovieError) -> MovieStopReason? {
        if let description { return fits(frame, description) }
        let stream = StreamDescription(frame: frame.description, frameInterval: frameInterval)
        let pipeline = try EncodingPipeline(stream, settings)
        let mounted = ExifOrientation(rawValue: frame.orientation) ?? .upright
        let origin = frame.info.timestamp
        let about = Beginning(
            clocks: ClockReadings(at: origin), origin: origin,
            orientation: mounted.withCamera(turned: order.rotation),
            thumbnail: thumbnail(of: frame, pipeline))
        (self.pipeline, self.about, description) = (pipeline, about, frame.description)
        return fits(frame, frame.description)
    }

    /// Creates the file once the contents of its header are known.
    private func openFile() throws(MovieError) {
        guard movie == nil, var about, let track = pipeline?.track(about.orientation) else {
            return
        }
        about.track = track
        self.about = about
        do throws(SystemCallError) {
            movie = try MovieFile(
                creating: order.path, [track], MovieMetadata(order.metadata, about.clocks),
                origin: about.origin)
            try DurableFile.synchronizeDirectory(PathName(order.path).parent)
        } catch {
            throw storageError(error)
        }
    }

    private func thumbnail(of frame: CapturedFrame, _ pipeline: EncodingPipeline) -> [UInt8]? {
        guard let lease = frame.another() else { return nil }
        return pipeline.thumbnail(of: lease)
    }

    private func fits(
        _ frame: CapturedFrame, _ description: FrameDescription
    ) -> MovieStopReason? {
        guard frame.description == description else { return .cameraLost }
        let folder = PathName(order.path).parent
        let free = (try? FileTree.freeBytes(at: folder)) ?? .max
        return free < order.minimumFreeBytes ? .storageFull : nil
    }

    private func encode(
        _ frames: [CapturedFrame], at times: [Int64]
    ) throws(MovieError) -> [EncodedSample] {
        guard let pipeline else { throw MovieError(.closed, "the movie has ended") }
        var samples: [EncodedSample] = []
        for (frame, time) in zip(frames, times) {
            guard let lease = frame.another() else { continue }
            samples += try pipeline.encode(lease, at: time) ?? []
        }
        return samples
    }

    private func write(_ samples: [EncodedSample], until end: Int64) throws(MovieError) {
        if let failure { throw storageError(failure) }
        try openFile()
        do throws(SystemCallError) {
            try movie?.append([MovieRun(track: 0, samples: samples, end: end)])
        } catch {
            if !error.isFull && !error.isFileTooLarge { giveUp(error) }
            throw storageError(error)
        }
        do throws(SystemCallError) {
            try movie?.synchronize()
        } catch {
            giveUp(error)
            throw storageError(error)
        }
    }

    /// Gives up the file, whose contents on disk are unknown. The library's next open examines it.
    private func giveUp(_ error: SystemCallError) {
        movie = nil
        failure = error
    }

    private func storageError(_ error: SystemCallError) -> MovieError {
        MovieError(.storage, "recording \(order.id)", underlying: error)
    }
}
