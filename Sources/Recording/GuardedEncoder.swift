// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import LinuxIO
internal import Media
internal import Synchronization

/// The encoder of the running stream's pictures, made when the first one is to be compressed. A
/// device may block the thread that makes, uses or releases its encoder. All of that happens here,
/// within the `callGuard`, and nothing else refers to the encoder.
struct GuardedEncoder: ~Copyable {
    /// The result for a frame; `samples` is `nil` if the frame could not be decoded.
    struct Encoded {
        let samples: [EncodedSample]?
    }

    /// The running stream. Release the encoder before setting a stream of other pictures.
    var stream: MovieStream?
    private var pipeline: EncodingPipeline?
    /// The time before which no encoder is made, in nanoseconds.
    private var retryTime: Int64 = 0
    private let mailbox: MovieMailbox
    private let settings: MovieSettings
    private let callGuard: BlockingCallGuard
    private static let retryInterval: Int64 = 1_000_000_000

    /// - Parameter callGuard: entered where the thread may block.
    init(_ mailbox: MovieMailbox, _ settings: MovieSettings, _ callGuard: BlockingCallGuard) {
        self.mailbox = mailbox
        self.settings = settings
        self.callGuard = callGuard
        stream = mailbox.currentStream
    }

    var isMade: Bool { pipeline != nil }
    var name: String? { pipeline?.encoderName }
    /// Nanoseconds from picture to picture; 0 without an encoder.
    var interval: Int64 { pipeline?.interval ?? 0 }
    var isOfCamera: Bool { pipeline?.isOfCamera ?? false }
    var isForOneMovie: Bool { pipeline?.isForOneMovie ?? false }

    func isReady(at time: Int64) -> Bool { isMade || time >= retryTime }

    /// Notes a failure; the next encoder is made a while after `time`.
    mutating func rest(from time: Int64) { retryTime = time + Self.retryInterval }

    /// Makes the encoder for the running stream. Returns `false` if the thread was abandoned
    /// meanwhile, or no stream runs. Throws ``MovieError/Code/noEncoder``.
    mutating func make() throws(MovieError) -> Bool {
        guard let stream else { return false }
        // Loading from an SD card takes long and must not count as a stall.
        _ = try? VideoEncoder.load()
        if stream.isStabilized { _ = try? VideoEncoder.loadStabilizer() }
        var settings = settings
        settings.isStabilized = stream.isStabilized
        mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
        callGuard.enter()
        let made = Result { () throws(MovieError) in
            try EncodingPipeline(stream.description, settings, mailbox.refusals)
        }
        guard callGuard.leave() else { return false }
        pipeline = try made.get()
        return true
    }

    /// Compresses a frame. Returns `nil` if the thread was abandoned meanwhile, and its successor
    /// took over; throws if the encoder is no longer usable.
    func encode(_ lease: consuming FrameLease) throws(MovieError) -> Encoded? {
        guard let pipeline else { return nil }
        // Slow steps before, such as loading the library, must not count as a stall.
        mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
        callGuard.enter()
        do throws(MovieError) {
            let samples = try pipeline.encode(lease)
            return callGuard.leave() ? Encoded(samples: samples) : nil
        } catch {
            if callGuard.leave() { throw error }
            return nil
        }
    }

    func forceKeyFrame() { pipeline?.forceKeyFrame() }

    /// Returns the track of a movie turned further than the stream; `nil` before the first sample.
    func track(turned rotation: Rotation) -> MovieTrack? {
        pipeline?.track((stream?.orientation ?? .upright).withCamera(turned: rotation))
    }

    func thumbnail(of lease: borrowing FrameLease) -> [UInt8]? { pipeline?.thumbnail(of: lease) }

    /// Releases the encoder, which may block.
    mutating func release() {
        var former = pipeline.take()
        guard former != nil else { return }
        callGuard.enter()
        former = nil
        _ = callGuard.leave()
    }
}
