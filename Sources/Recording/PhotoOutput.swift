// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
public import Media
internal import LinuxIO
internal import Synchronization

/// Takes stills out of the running stream (AVCapturePhotoOutput): the frame whose timestamp is nearest
/// to the shutter moment.
///
/// The newest frames are always held, so that the one before the press is still there when the press
/// is noticed. A press that comes soon after a frame has that one at once; else which of the two
/// neighbours is nearer is known when the frame after the moment comes.
public final class PhotoOutput: CaptureOutput {
    /// At 30 frames a second a press that is noticed up to 66 ms after its edge still finds the frame
    /// before it. The wake-up's p99 on a loaded emulator is 12 ms.
    private static let ringLength = 3
    /// Chosen frames that may wait in the camera's own memory: with a burst of presses it would run dry.
    private static let mostWaiting = 1
    /// Longer does a photo not wait to know how long its frame was exposed, nanoseconds.
    private let exposurePatience: Int64
    /// More bytes than this may not wait to be encoded: a burst ends there, and one of a time has fewer frames.
    private let mostWaitingBytes: Int

    private struct Pending {
        var claims: [FrameClaim] = []
        var bursts: [BurstClaim] = []
        /// And of which stream each is asked.
        var exposures: [(reading: ExposureReading, generation: Int)] = []
        var isStreaming = false

        var count: Int { claims.count + bursts.count + exposures.count }
    }
    private let pending = Mutex(Pending())
    /// Lets the camera's thread see without taking the lock that nobody waits.
    private let waiting = Atomic<Int>(0)
    private let chosen = WaitingFrames()
    private let frames = Mutex(NewestFrames(capacity: ringLength))
    /// Whether the driver has said how long a frame was exposed when it was asked last; `true` before it was, in this
    /// stream.
    private let tellsExposure = Atomic<Bool>(true)

    /// Takes no photo before a stream runs.
    public convenience init() { self.init(mostWaitingBytes: 128 << 20) }

    package init(mostWaitingBytes: Int, exposurePatience: Int64 = 100_000_000) {
        self.mostWaitingBytes = mostWaitingBytes
        self.exposurePatience = exposurePatience
    }

    /// The ring, one that waits to be encoded, and one more while it is. More that wait are copied.
    public var heldFrames: Int { Self.ringLength + Self.mostWaiting + 1 }

    /// Claims the frame nearest to `moment` (nanoseconds of `CLOCK_MONOTONIC`), which may lie a little
    /// in the past or ahead. Any thread; never blocks.
    ///
    /// - Parameter exposedAfter: A light is on since then: of the frames that were exposed in it from
    ///   their first line to their last, the nearest is claimed. `nil`: of all.
    public func hold(_ moment: Int64, exposedAfter: Int64? = nil) -> FrameClaim {
        let claim = FrameClaim(moment: moment, exposedAfter: exposedAfter ?? .min)
        if exposedAfter == nil, settleAtOnce(claim) { return claim }
        let isStreaming = pending.withLock { pending in
            if pending.isStreaming {
                pending.claims.append(claim)
                waiting.store(pending.count, ordering: .releasing)
            }
            return pending.isStreaming
        }
        if !isStreaming { claim.settle(.failure(Self.noFrames)) }
        return claim
    }

    /// Claims `count` frames in a row, from the one nearest to `moment` on. Any thread; never blocks. One that waits
    /// behind another is copied: the camera goes on at its full rate.
    ///
    /// - Parameters:
    ///   - moment: nanoseconds of `CLOCK_MONOTONIC`, a little in the past or ahead.
    ///   - count: at least 1.
    ///   - duration: ends it before that when its frames are so long apart, nanoseconds.
    ///   - exposedAfter: as for ``hold(_:exposedAfter:)``.
    ///   - keepsRaw: whether what the sensor measured is copied with a frame.
    ///   - edge: what was claimed at this moment before it was known that a burst is wanted. Its frame is the first one
    ///     also where the newest few do not reach back to it any more, if all that came after it are there. Not where
    ///     a light is on.
    public func holdBurst(
        _ moment: Int64, count: Int, duration: Int64? = nil, exposedAfter: Int64? = nil,
        keepsRaw: Bool = false, from edge: FrameClaim? = nil
    ) -> BurstClaim {
        precondition(count > 0)
        let burst = BurstClaim(
            moment: moment, count: count, duration: duration, exposedAfter: exposedAfter ?? .min,
            keepsRaw: keepsRaw, edge: exposedAfter == nil ? edge : nil)
        let isStreaming = pending.withLock { pending in
            if pending.isStreaming {
                pending.bursts.append(burst)
                waiting.store(pending.count, ordering: .releasing)
            }
            return pending.isStreaming
        }
        if !isStreaming { burst.end() }
        return burst
    }

    /// Gives up what has not come of a burst. Any thread.
    public func abandon(_ burst: BurstClaim) { burst.end() }

    /// Answers a claim with a frame that has come already, if there is one that no later one can beat, and it need not
    /// be copied.
    private func settleAtOnce(_ claim: FrameClaim) -> Bool {
        guard chosen.add(ifFewerThan: Self.mostWaiting) else { return false }
        var stream = NewestFrames.Stream()
        let lease = frames.withLock { frames in
            stream = frames.stream
            return frames.certain(for: claim.moment)
        }
        guard let lease else {
            chosen.count.subtract(1, ordering: .relaxed)
            return false
        }
        // A driver that has said nothing may say something by now, to the next photo: this one does not wait for it.
        let asked = askForExposure(stream)
        let exposure = tellsExposure.load(ordering: .relaxed) ? asked : ExposureReading(nil)
        settle(claim, lease, stream, exposure)
        return true
    }

    /// Has the driver asked when the next frame comes. Where none comes soon, the photo does not wait for it.
    private func askForExposure(_ stream: NewestFrames.Stream) -> ExposureReading {
        let exposure = ExposureReading()
        pending.withLock { pending in
            pending.exposures.append((exposure, stream.generation))
            waiting.store(pending.count, ordering: .releasing)
        }
        let patience = max(2 * stream.frameInterval, exposurePatience)
        Task {
            try? await Task.sleep(for: .nanoseconds(patience))
            exposure.settle(nil)
        }
        return exposure
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
        // Where memory is short the ring must not keep what the camera needs.
        let spare = stream.spareFrameCount ?? Self.ringLength
        frames.withLock {
            $0.begin(
                capacity: min(max(spare, 1), Self.ringLength),
                frameInterval: stream.frameInterval, orientation: connection.orientation.rawValue)
        }
        tellsExposure.store(true, ordering: .relaxed)
        pending.withLock { $0.isStreaming = true }
    }

    /// Keeps the newest few, and hands out what is due.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        if waiting.load(ordering: .acquiring) > 0 { beginBursts(camera) }
        let timestamp = frame.info.timestamp
        // Who presses a button holds the lock for less than a microsecond. The frame that goes is given back behind it.
        _ = frames.withLock { $0.add(frame.another(), at: timestamp) }
        if waiting.load(ordering: .acquiring) == 0 { return }
        let (spacing, generation) = frames.withLock { ($0.spacing.value, $0.stream.generation) }
        let due = takeClaims { max($0.moment, $0.earliest(spacing)) <= timestamp }
        let exposures = takeExposures()
        let bursts = burstsUnderWay()
        if due.isEmpty, exposures.isEmpty, bursts.isEmpty { return }
        let exposure = camera.exposureTime()
        tellsExposure.store(exposure != nil, ordering: .relaxed)
        for asked in exposures {
            asked.reading.settle(asked.generation == generation ? exposure : nil)
        }
        for claim in due { settle(claim, exposure) }
        for burst in bursts { feed(burst, exposure) }
    }

    /// Photos that wait get the nearest frame there is, or fail. Before a restart none fails: whose moment lies too far
    /// ahead, or whose light has just come on, waits for the next stream, as those do that are asked for meanwhile, and
    /// bursts that have not begun. Other bursts end with what they have.
    public func streamDidStop(willRestart: Bool) {
        if !willRestart { pending.withLock { $0.isStreaming = false } }
        let due = takeClaims { claim in
            !willRestart
                || frames.withLock { frames in
                    let earliest = claim.earliest(frames.spacing.value)
                    return frames.newestIsNear(claim.moment, from: earliest)
                }
        }
        for claim in due { settle(claim, nil) }
        for asked in takeExposures() { asked.reading.settle(nil) }
        for burst in burstsUnderWay() where burst.hasBegun || !willRestart { burst.end() }
        frames.withLock { $0.clear() }
    }

    private func takeClaims(_ isDue: (FrameClaim) -> Bool) -> [FrameClaim] {
        pending.withLock { pending in
            let due = pending.claims.filter(isDue)
            pending.claims.removeAll(where: isDue)
            waiting.store(pending.count, ordering: .releasing)
            return due
        }
    }

    private func takeExposures() -> [(reading: ExposureReading, generation: Int)] {
        pending.withLock { pending in
            defer {
                pending.exposures = []
                waiting.store(pending.count, ordering: .releasing)
            }
            return pending.exposures
        }
    }

    /// Hands bursts that were asked for since the last frame what has come of them: the oldest, which goes for the next
    /// frame, may be their first.
    private func beginBursts(_ camera: any CameraStream) {
        guard let newest = frames.withLock({ $0.newest }) else { return }
        let bursts = burstsUnderWay().filter { !$0.hasBegun && $0.moment <= newest }
        if bursts.isEmpty { return }
        let exposure = camera.exposureTime()
        for burst in bursts { feed(burst, exposure) }
    }

    /// Those that are over are forgotten.
    private func burstsUnderWay() -> [BurstClaim] {
        pending.withLock { pending in
            if pending.bursts.isEmpty { return [] }
            pending.bursts.removeAll(where: \.isOver)
            waiting.store(pending.count, ordering: .releasing)
            return pending.bursts
        }
    }

    /// Hands a burst what has come of it.
    private func feed(_ burst: BurstClaim, _ exposure: Int64?) {
        while !burst.isOver {
            var stream = NewestFrames.Stream()
            let lease = frames.withLock { frames in
                stream = frames.stream
                return burst.next(of: &frames)
            }
            guard let lease else { return }
            let bytes = lease.bytesOfPixels(withRaw: burst.keepsRaw)
            if burst.leavesOut(lease.info.timestamp, bytes, room: mostWaitingBytes) { continue }
            guard chosen.bytes.load(ordering: .relaxed) + bytes <= mostWaitingBytes else {
                return burst.end()
            }
            let spared = spare(lease, withRaw: burst.keepsRaw)
            let offset = spared.info.timestamp - burst.moment
            burst.take(
                CapturedFrame(
                    lease: spared, offset: offset, exposure: ExposureReading(exposure),
                    frameInterval: stream.frameInterval, orientation: stream.orientation,
                    waiting: chosen))
        }
    }

    /// Counts a frame among those that wait; one too many for the camera's memory is copied, if that can be.
    private func spare(_ lease: consuming FrameLease, withRaw: Bool = true) -> FrameLease {
        if chosen.add(ifFewerThan: Self.mostWaiting) { return lease }
        chosen.count.add(1, ordering: .relaxed)
        guard let copy = try? lease.copied(withRaw: withRaw) else { return lease }
        return copy
    }

    private func settle(_ claim: FrameClaim, _ exposure: Int64?) {
        var (stream, isNear) = (NewestFrames.Stream(), false)
        let lease = frames.withLock { frames -> FrameLease? in
            let earliest = claim.earliest(frames.spacing.value)
            guard let lease = frames.nearest(to: claim.moment, from: earliest) else { return nil }
            (stream, isNear) = (frames.stream, frames.isNear(lease.info.timestamp - claim.moment))
            return lease
        }
        guard let lease else { return claim.settle(.failure(Self.noFrames)) }
        guard isNear else {
            let distance = abs(lease.info.timestamp - claim.moment) / 1_000_000
            claim.settle(
                .failure(
                    PhotoError(.noFrames, "the nearest frame is \(distance) ms from the press")))
            return
        }
        settle(claim, spare(lease), stream, ExposureReading(exposure))
    }

    private func settle(
        _ claim: FrameClaim, _ lease: consuming FrameLease, _ stream: NewestFrames.Stream,
        _ exposure: ExposureReading
    ) {
        let offset = lease.info.timestamp - claim.moment
        claim.settle(
            .success(
                CapturedFrame(
                    lease: lease, offset: offset, exposure: exposure,
                    frameInterval: stream.frameInterval, orientation: stream.orientation,
                    waiting: chosen)))
    }
}
