// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// One press's claim on the frame nearest to its shutter moment. Ending it gives the frame back.
public final class FrameClaim: Sendable {
    /// Nanoseconds of `CLOCK_MONOTONIC`; may lie ahead.
    public let moment: Int64
    /// The frame's exposure must begin after this time, `Int64.min` for any: a light was off before.
    let exposedAfter: Int64
    private let state = Mutex(State())

    private struct State {
        var outcome: Result<CapturedFrame, PhotoError>?
        var waiter: CheckedContinuation<Result<CapturedFrame, PhotoError>, Never>?
    }

    init(moment: Int64, exposedAfter: Int64) {
        self.moment = moment
        self.exposedAfter = exposedAfter
    }

    /// The earliest timestamp of a frame that may be the answer, where frames are `interval` apart and
    /// bear the time of their exposure's end.
    func earliest(_ interval: Int64) -> Int64 { Self.earliest(exposedAfter, interval) }

    /// The same of a frame whose exposure must begin after `exposedAfter`, `Int64.min` for any.
    static func earliest(_ exposedAfter: Int64, _ interval: Int64) -> Int64 {
        exposedAfter == .min ? .min : exposedAfter + interval
    }

    /// The frame, as soon as it is certain that no later one is nearer. To be awaited once.
    public func frame() async throws(PhotoError) -> CapturedFrame {
        let outcome = await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiter = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
        return try outcome.get()
    }

    /// Takes the frame away, if it is known which one it is.
    func takeLease() -> FrameLease? {
        guard case .success(let frame) = state.withLock({ $0.outcome }) else { return nil }
        return frame.takeLease()
    }

    /// Whether it is known already which frame it is, or that there is none.
    package var isSettled: Bool { state.withLock { $0.outcome != nil } }

    /// Settles the claim; later outcomes are ignored. Any thread.
    func settle(_ outcome: Result<CapturedFrame, PhotoError>) {
        let waiter = state.withLock {
            state -> CheckedContinuation<Result<CapturedFrame, PhotoError>, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
    }
}

/// A frame that was chosen for a photo, held until it is encoded or the object ends.
public final class CapturedFrame: Sendable {
    /// What the camera said of it.
    public let info: FrameInfo
    /// Its size and format.
    public let description: FrameDescription
    /// The frame's timestamp minus the shutter moment, in nanoseconds.
    public let offset: Int64
    private let exposure: ExposureReading
    /// Nanoseconds from frame to frame as the driver announced it; 0 when unknown.
    public let frameInterval: Int64
    /// EXIF orientation, 1 to 8, as the output's connection says.
    public let orientation: Int
    private let lease: Mutex<FrameLease?>
    private let waiting: WaitingFrames
    private let bytes: Int

    /// - Parameter waiting: counts this frame already, but not its bytes.
    init(
        lease: consuming FrameLease, offset: Int64, exposure: ExposureReading, frameInterval: Int64,
        orientation: Int, waiting: WaitingFrames
    ) {
        self.waiting = waiting
        info = lease.info
        description = lease.description
        bytes = lease.bytesOfPixels()
        waiting.bytes.add(bytes, ordering: .relaxed)
        self.lease = Mutex(consume lease)
        self.offset = offset
        self.exposure = exposure
        self.frameInterval = frameInterval
        self.orientation = orientation
    }

    deinit { _ = takeLease() }

    /// Nanoseconds, if the driver tells: it is asked when the next frame comes, if that is soon.
    public var exposureTime: Int64? { get async { await exposure.value } }

    /// A lease beside the own one, as long as that is there.
    func another() -> FrameLease? {
        lease.withLock { lease in
            guard let own = lease.take() else { return nil }
            let another = own.another()
            lease = consume own
            return another
        }
    }

    /// The frame itself, once: when the lease ends the camera has it back, whoever holds this object.
    func takeLease() -> FrameLease? {
        lease.withLock { lease in
            let taken = lease.take()
            if taken != nil {
                waiting.count.subtract(1, ordering: .relaxed)
                waiting.bytes.subtract(bytes, ordering: .relaxed)
            }
            return taken
        }
    }
}

/// How many frames have been chosen and not yet been taken to be encoded.
final class WaitingFrames: Sendable {
    let count = Atomic<Int>(0)
    /// Of their pixels.
    let bytes = Atomic<Int>(0)

    /// Counts one more if there are fewer than `most`.
    func add(ifFewerThan most: Int) -> Bool {
        if count.add(1, ordering: .relaxed).oldValue < most { return true }
        count.subtract(1, ordering: .relaxed)
        return false
    }
}

extension FrameLease {
    /// Of its pixels, and of what the sensor measured.
    borrowing func bytesOfPixels(withRaw: Bool = true) -> Int {
        if description.pixelFormat.isCompressed { return info.bytesUsed }
        return description.bufferSizes.reduce(withRaw ? slot.raw?.buffer.size ?? 0 : 0, +)
    }
}
