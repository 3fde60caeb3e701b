// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
public import Media
internal import LinuxIO
internal import Synchronization

/// Takes stills from the running stream: the frame whose timestamp is nearest to the shutter moment
/// (AVCapturePhotoOutput). The output always holds the newest frames, so that the frame before a
/// press is still there when the press is noticed. A press soon after a frame gets that frame at
/// once. Any other press waits for the next frame, which shows the nearer of the two.
public final class PhotoOutput: CaptureOutput {
    /// Frames in the ring. At 30 frames per second, a press that is noticed up to 66 ms after its
    /// edge still finds the frame before it. The wake-up's p99 on a loaded emulator is 12 ms.
    private static let ringLength = 3
    /// Chosen frames that may wait in the camera's buffers: a burst of presses would exhaust these.
    private static let mostWaiting = 1
    /// Nanoseconds that a photo waits for its exposure time, unless two frame intervals are longer.
    private let exposurePatience: Int64
    /// Bytes of frames that may wait to be encoded. A burst ends at this limit; a burst with a
    /// duration skips frames to stay below it.
    private let mostWaitingBytes: Int

    private struct Pending {
        var claims: [FrameClaim] = []
        var bursts: [BurstClaim] = []
        /// Readings to settle, each with the generation of its stream.
        var exposures: [(reading: ExposureReading, generation: Int)] = []
        var isStreaming = false

        var count: Int { claims.count + bursts.count + exposures.count }
    }
    private let pending = Mutex(Pending())
    /// The number of pending requests, which the camera's thread reads without the lock.
    private let waiting = Atomic<Int>(0)
    private let chosen = WaitingFrames()
    private let frames = Mutex(FrameHistory(capacity: ringLength))
    /// Whether the driver told the exposure time when last asked; `true` before that, per stream.
    private let tellsExposure = Atomic<Bool>(true)

    /// Creates an output that takes no photo before a stream runs.
    public convenience init() { self.init(mostWaitingBytes: 128 << 20) }

    package init(mostWaitingBytes: Int, exposurePatience: Int64 = 100_000_000) {
        self.mostWaitingBytes = mostWaitingBytes
        self.exposurePatience = exposurePatience
    }

    /// The ring, and two frames: one waits, one is being encoded. More waiting frames are copied.
    public var heldFrames: Int { Self.ringLength + Self.mostWaiting + 1 }

    /// Claims the frame nearest to `moment`, in nanoseconds of `CLOCK_MONOTONIC`, a little in the
    /// past or ahead. Any thread; never blocks. `exposedAfter` is when a light came on: only frames
    /// whose whole exposure lies after it are considered; `nil` considers all.
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

    /// Claims `count` (at least 1) consecutive frames, beginning with the one nearest to `moment`;
    /// see ``hold(_:exposedAfter:)``. Any thread; never blocks. Frames that wait behind another are
    /// copied, so the camera keeps its full rate.
    /// - Parameters:
    ///   - duration: nanoseconds from the first frame to the last that end the burst early.
    ///   - keepsRaw: whether copies of frames include the sensor's raw data.
    ///   - edge: a claim made at this moment before a burst was known to be wanted. Its frame comes
    ///     first even if the ring no longer holds it, provided all later frames are held. Ignored
    ///     if `exposedAfter` is given.
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

    /// Ends a burst with the frames it has. Any thread.
    public func abandon(_ burst: BurstClaim) { burst.end() }

    /// Settles a claim with a held frame, if no later one can be nearer and no copy is needed.
    private func settleAtOnce(_ claim: FrameClaim) -> Bool {
        guard chosen.add(ifFewerThan: Self.mostWaiting) else { return false }
        var stream = FrameHistory.Stream()
        let lease = frames.withLock { frames in
            stream = frames.stream
            return frames.certain(for: claim.moment)
        }
        guard let lease else {
            chosen.count.subtract(1, ordering: .relaxed)
            return false
        }
        // The driver is asked for the next photo's sake even if it told nothing last time. This
        // photo does not wait for an answer then.
        let asked = askForExposure(stream)
        let exposure = tellsExposure.load(ordering: .relaxed) ? asked : ExposureReading(nil)
        settle(claim, lease, stream, exposure)
        return true
    }

    /// Asks the driver for the exposure time when the next frame comes. The reading settles as
    /// `nil` if no frame comes soon.
    private func askForExposure(_ stream: FrameHistory.Stream) -> ExposureReading {
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

    /// Gives up a claim; ``FrameClaim/frame()`` throws `abandoned` without a frame. Any thread.
    public func abandon(_ claim: FrameClaim) {
        _ = takeClaims { $0 === claim }
        claim.settle(.failure(PhotoError(.abandoned, "the photo was abandoned")))
    }

    private static let noFrames = PhotoError(.noFrames, "the camera delivers no frames")

    // MARK: CaptureOutput

    /// `true`: mirroring is stored in the photo's EXIF orientation.
    public var isVideoMirroringSupported: Bool { true }

    /// Whether `degrees` is 0, 90, 180 or 270. Rotation is stored in EXIF, not applied to pixels.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool {
        Rotation(rawValue: degrees) != nil
    }

    /// Prepares for the stream: claims from now on are settled with its frames.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        // The ring must not keep frames that the camera needs.
        let spare = stream.spareFrameCount ?? Self.ringLength
        frames.withLock {
            $0.begin(
                capacity: min(max(spare, 1), Self.ringLength),
                frameInterval: stream.frameInterval, orientation: connection.orientation.rawValue)
        }
        tellsExposure.store(true, ordering: .relaxed)
        pending.withLock { $0.isStreaming = true }
    }

    /// Keeps the frame among the newest, and settles the claims that are due.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        if waiting.load(ordering: .acquiring) > 0 { beginBursts(camera) }
        let timestamp = frame.info.timestamp
        // A thread that makes a claim holds the lock for less than a microsecond. The lease of the
        // frame that leaves the ring ends outside the lock.
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

    /// Settles pending claims with the nearest held frame, or fails them, and ends the bursts.
    /// Before a restart no claim fails: claims without a near frame and bursts that have not begun
    /// wait for the next stream; new ones are still accepted.
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

    /// Feeds the bursts made since the last frame. The oldest held frame may be their first, and is
    /// about to be replaced by the next frame.
    private func beginBursts(_ camera: any CameraStream) {
        guard let newest = frames.withLock({ $0.newest }) else { return }
        let bursts = burstsUnderWay().filter { !$0.hasBegun && $0.moment <= newest }
        if bursts.isEmpty { return }
        let exposure = camera.exposureTime()
        for burst in bursts { feed(burst, exposure) }
    }

    /// Removes the bursts that are over and returns the others.
    private func burstsUnderWay() -> [BurstClaim] {
        pending.withLock { pending in
            if pending.bursts.isEmpty { return [] }
            pending.bursts.removeAll(where: \.isOver)
            waiting.store(pending.count, ordering: .releasing)
            return pending.bursts
        }
    }

    /// Hands a burst all held frames that belong to it. Ends it if too many bytes wait.
    private func feed(_ burst: BurstClaim, _ exposure: Int64?) {
        while !burst.isOver {
            var stream = FrameHistory.Stream()
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
            burst.deliver(
                CapturedFrame(
                    lease: spared, offset: offset, exposure: ExposureReading(exposure),
                    frameInterval: stream.frameInterval, orientation: stream.orientation,
                    waiting: chosen))
        }
    }

    /// Counts a frame as waiting. Copies it if too many wait in the camera's memory; a frame that
    /// cannot be copied stays there.
    private func spare(_ lease: consuming FrameLease, withRaw: Bool = true) -> FrameLease {
        if chosen.add(ifFewerThan: Self.mostWaiting) { return lease }
        chosen.count.add(1, ordering: .relaxed)
        guard let copy = try? lease.copied(withRaw: withRaw) else { return lease }
        return copy
    }

    private func settle(_ claim: FrameClaim, _ exposure: Int64?) {
        var (stream, isNear) = (FrameHistory.Stream(), false)
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
        _ claim: FrameClaim, _ lease: consuming FrameLease, _ stream: FrameHistory.Stream,
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
