// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import LinuxIO
internal import Media
internal import Synchronization

/// The encoder of the running stream's pictures, made when there are any to compress.
///
/// A device may keep the thread that makes it, uses it or lets it go: all of that happens in here, within the boundary,
/// and nobody else has a reference to it.
struct GuardedEncoder: ~Copyable {
    /// What it found of a frame: no samples at all where it was no picture.
    struct Encoded {
        let samples: [EncodedSample]?
    }

    /// What comes now. An encoder of another stream's pictures is to be released before.
    var stream: MovieStream?
    private var pipeline: EncodingPipeline?
    /// Before it none is made; nanoseconds.
    private var retryTime: Int64 = 0
    private let mailbox: MovieMailbox
    private let settings: MovieSettings
    private let boundary: KernelBoundary
    private static let retryInterval: Int64 = 1_000_000_000

    /// - Parameter boundary: entered where the thread may be kept.
    init(_ mailbox: MovieMailbox, _ settings: MovieSettings, _ boundary: KernelBoundary) {
        self.mailbox = mailbox
        self.settings = settings
        self.boundary = boundary
        stream = mailbox.currentStream
    }

    var isMade: Bool { pipeline != nil }
    /// For people; `nil` where none is made.
    var name: String? { pipeline?.encoderName }
    /// Nanoseconds from picture to picture; 0 where none is made.
    var interval: Int64 { pipeline?.interval ?? 0 }
    /// Whether the camera compresses, and what refers to a frame that was lost is left out.
    var isOfCamera: Bool { pipeline?.isOfCamera ?? false }
    /// Whether it is to be let go as soon as nothing is recorded.
    var isForOneMovie: Bool { pipeline?.isForOneMovie ?? false }

    /// Whether a frame of this time is worth the try.
    func isReady(at time: Int64) -> Bool { isMade || time >= retryTime }

    /// After one that failed: the next is made a while after this time.
    mutating func rest(from time: Int64) { retryTime = time + Self.retryInterval }

    /// Makes it for the running stream.
    ///
    /// - Returns: `false` where the thread has been given up meanwhile, or nothing runs.
    /// - Throws: ``MovieError/Code/noEncoder``.
    mutating func make() throws(MovieError) -> Bool {
        guard let stream else { return false }
        // Reading it from a card takes long, and is no standstill.
        _ = try? VideoEncoder.load()
        if stream.isStabilized { _ = try? VideoEncoder.loadStabilizer() }
        var settings = settings
        settings.isStabilized = stream.isStabilized
        mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
        boundary.enter()
        let made = Result { () throws(MovieError) in
            try EncodingPipeline(stream.description, settings, mailbox.refusals)
        }
        guard boundary.leave() else { return false }
        pipeline = try made.get()
        return true
    }

    /// Compresses a frame.
    ///
    /// - Returns: `nil` where the thread has been given up meanwhile: what it had is another's then.
    /// - Throws: when the encoder is of no use any more.
    func encode(_ lease: consuming FrameLease) throws(MovieError) -> Encoded? {
        guard let pipeline else { return nil }
        // Whatever took long before, such as finding the encoder's library, was no standstill.
        mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
        boundary.enter()
        do throws(MovieError) {
            let samples = try pipeline.encode(lease)
            return boundary.leave() ? Encoded(samples: samples) : nil
        } catch {
            if boundary.leave() { throw error }
            return nil
        }
    }

    /// The next sample is a key frame, if it can be.
    func forceKeyFrame() { pipeline?.forceKeyFrame() }

    /// What a movie has to know of the samples, its pictures turned further than the stream's are; `nil` before the
    /// first sample.
    func track(turned rotation: Rotation) -> MovieTrack? {
        pipeline?.track((stream?.orientation ?? .upright).withCamera(turned: rotation))
    }

    /// A small JPEG of a frame, if one can be made.
    func thumbnail(of lease: borrowing FrameLease) -> [UInt8]? { pipeline?.thumbnail(of: lease) }

    /// Lets it go, which may keep the thread.
    mutating func release() {
        var former = pipeline.take()
        guard former != nil else { return }
        boundary.enter()
        former = nil
        _ = boundary.leave()
    }
}
