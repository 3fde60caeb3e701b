// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
public import Media
internal import LinuxIO
internal import Synchronization

/// Takes stills out of the running stream (AVCapturePhotoOutput): the frame whose timestamp is nearest
/// to the shutter moment.
///
/// The newest frames are always held, so that the one before the press is still there when the press
/// is noticed; which of the two neighbours is nearer is known when the frame after the moment comes.
public final class PhotoOutput: CaptureOutput {
    /// A frame further away than this many intervals is no answer to a press,
    private static let farthestIntervals: Int64 = 2
    /// unless it is as near as this: in dim light cameras are slower than they announce, and a photo
    /// with its true offset is better than none.
    private static let nearEnough: Int64 = 1_000_000_000
    /// At 30 frames a second a press that is noticed up to 66 ms after its edge still finds the frame
    /// before it. The wake-up's p99 on a loaded emulator is 12 ms.
    private static let ringLength = 3
    /// Chosen frames that may wait in the camera's own memory: with a burst of presses it would run dry.
    private static let mostWaiting = 1
    /// Of a stream's frames: one on screen, one committed, two for the camera to fill.
    private static let framesForOthers = 4

    private struct Pending {
        var claims: [FrameClaim] = []
        var isStreaming = false
    }
    private let pending = Mutex(Pending())
    /// Lets the camera's thread see without taking the lock that nobody waits.
    private let waiting = Atomic<Int>(0)
    private let chosen = WaitingFrames()
    private let ring = CameraThreadOnly(FrameRing(capacity: ringLength))
    private let interval = Atomic<Int64>(0)
    private let spacing = CameraThreadOnly(FrameSpacing())
    private let orientation = Atomic<Int>(1)

    /// Takes no photo before a stream runs.
    public init() {}

    /// The ring, one that waits to be encoded, and one more while it is. More that wait are copied.
    public var heldFrames: Int { Self.ringLength + Self.mostWaiting + 1 }

    /// Claims the frame nearest to `moment` (nanoseconds of `CLOCK_MONOTONIC`), which may lie a little
    /// in the past or ahead. Any thread; never blocks.
    ///
    /// - Parameter exposedAfter: A light is on since then: of the frames that were exposed in it from
    ///   their first line to their last, the nearest is claimed. `nil`: of all.
    public func hold(_ moment: Int64, exposedAfter: Int64? = nil) -> FrameClaim {
        let claim = FrameClaim(moment: moment, exposedAfter: exposedAfter ?? .min)
        let isStreaming = pending.withLock { pending in
            if pending.isStreaming {
                pending.claims.append(claim)
                waiting.store(pending.claims.count, ordering: .releasing)
            }
            return pending.isStreaming
        }
        if !isStreaming { claim.settle(.failure(Self.noFrames)) }
        return claim
    }

    /// Gives a claim up: no frame is chosen for it any more, and whoever waits for one hears so. Any thread.
    public func abandon(_ claim: FrameClaim) {
        _ = takeClaims { $0 === claim }
        claim.settle(.failure(PhotoError(.abandoned, "nobody waits for the photo any more")))
    }

    private static let noFrames = PhotoError(.noFrames, "the camera delivers no frames")

    // MARK: CaptureOutput

    /// Always: as turns are, it is noted in the photo's EXIF.
    public var isVideoMirroringSupported: Bool { true }

    /// Turns are noted in the photo's EXIF; its pixels stay as the camera delivered them.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool {
        Rotation(rawValue: degrees) != nil
    }

    /// What is asked for from now on is found in this stream.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        interval.store(stream.frameInterval, ordering: .relaxed)
        spacing.withValue { $0 = FrameSpacing(announced: stream.frameInterval) }
        let turn = Rotation(rawValue: connection.videoRotationAngle).map {
            ExifOrientation(rotation: $0, isMirrored: connection.isVideoMirrored)
        }
        orientation.store(turn?.rawValue ?? 1, ordering: .relaxed)
        // Where memory is short the ring must not keep what the camera needs.
        let spare = stream.frameCount.map { $0 - Self.framesForOthers } ?? Self.ringLength
        ring.withValue { $0.reset(capacity: min(max(spare, 1), Self.ringLength)) }
        pending.withLock { $0.isStreaming = true }
    }

    /// Keeps the newest few, and hands out what is due.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        ring.withValue { $0.add(frame.another()) }
        let timestamp = frame.info.timestamp
        let spacing = spacing.withValue { $0.after(timestamp) }
        if waiting.load(ordering: .acquiring) == 0 { return }
        let due = takeClaims { max($0.moment, $0.earliest(spacing)) <= timestamp }
        if due.isEmpty { return }
        let exposure = camera.exposureTime()
        for claim in due { settle(claim, exposure) }
    }

    /// Photos that wait get the nearest frame there is, or fail; those asked for before a restart
    /// wait for it.
    public func streamDidStop(willRestart: Bool) {
        // A press meanwhile waits for the next stream's first frame.
        if !willRestart { pending.withLock { $0.isStreaming = false } }
        for claim in takeClaims({ _ in true }) { settle(claim, nil) }
        ring.withValue { $0.clear() }
    }

    private func takeClaims(_ isDue: (FrameClaim) -> Bool) -> [FrameClaim] {
        pending.withLock { pending in
            let due = pending.claims.filter(isDue)
            pending.claims.removeAll(where: isDue)
            waiting.store(pending.claims.count, ordering: .releasing)
            return due
        }
    }

    private func settle(_ claim: FrameClaim, _ exposure: Int64?) {
        let interval = interval.load(ordering: .relaxed)
        let earliest = claim.earliest(spacing.withValue(\.value))
        guard var lease = ring.withValue({ $0.nearest(to: claim.moment, from: earliest) }) else {
            claim.settle(.failure(Self.noFrames))
            return
        }
        let offset = lease.info.timestamp - claim.moment
        if abs(offset) > max(interval * Self.farthestIntervals, Self.nearEnough) {
            claim.settle(
                .failure(
                    PhotoError(
                        .noFrames,
                        "the nearest frame is \(abs(offset) / 1_000_000) ms from the press")))
            return
        }
        if chosen.count.load(ordering: .relaxed) >= Self.mostWaiting,
            let copy = try? lease.copied()
        {
            lease = copy
        }
        claim.settle(
            .success(
                CapturedFrame(
                    lease: lease, offset: offset, exposureTime: exposure, frameInterval: interval,
                    orientation: orientation.load(ordering: .relaxed), waiting: chosen)))
    }
}

/// How far apart a stream's frames are, in nanoseconds: as announced, or further, as cameras are that take
/// longer exposures in dim light.
private struct FrameSpacing {
    /// Beyond it the stream stood still.
    private static let most: Int64 = 1_000_000_000

    private(set) var value: Int64
    private let announced: Int64
    private var last: Int64?

    init(announced: Int64 = 0) {
        (value, self.announced) = (announced, announced)
    }

    mutating func after(_ timestamp: Int64) -> Int64 {
        let distance = last.map { timestamp &- $0 } ?? 0
        if distance <= Self.most { value = max(announced, distance) }
        last = timestamp
        return value
    }
}

/// A value that only the camera's thread touches, which `CaptureOutput` promises.
@safe
private final class CameraThreadOnly<Value: ~Copyable>: @unchecked Sendable {
    // Nobody reaches it but through `withValue`, for each frame several times.
    @exclusivity(unchecked) private var value: Value
    init(_ value: consuming Value) { unsafe self.value = value }
    func withValue<Result: ~Copyable>(_ body: (inout Value) -> Result) -> Result {
        unsafe body(&value)
    }
}
