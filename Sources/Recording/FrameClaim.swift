// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// A press's claim on the frame nearest to its shutter moment. Its end gives back an unused frame.
public final class FrameClaim: Sendable {
    /// The shutter moment in nanoseconds of `CLOCK_MONOTONIC`; it may lie ahead.
    public let moment: Int64
    /// The exposure must begin after this time: a light was off before. `Int64.min` allows any.
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

    /// Returns the earliest allowed timestamp of a frame, if frames are `interval` apart and their
    /// timestamps mark the end of the exposure.
    func earliest(_ interval: Int64) -> Int64 { Self.earliest(exposedAfter, interval) }

    /// Returns the same for a frame whose exposure must begin after `exposedAfter`.
    static func earliest(_ exposedAfter: Int64, _ interval: Int64) -> Int64 {
        exposedAfter == .min ? .min : exposedAfter + interval
    }

    /// Returns the frame as soon as no later one can be nearer. May be awaited once.
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

    /// Takes the frame away, if it was chosen already.
    func takeLease() -> FrameLease? {
        guard case .success(let frame) = state.withLock({ $0.outcome }) else { return nil }
        return frame.takeLease()
    }

    /// Whether a frame was chosen, or the claim has failed.
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

/// A frame chosen for a photo, held until it is encoded or the object ends.
public final class CapturedFrame: Sendable {
    /// The camera's information about the frame.
    public let info: FrameInfo
    /// The frame's size and format.
    public let description: FrameDescription
    /// The frame's timestamp minus the shutter moment, in nanoseconds.
    public let offset: Int64
    private let exposure: ExposureReading
    /// Nanoseconds between frames as the driver announced them; 0 if unknown.
    public let frameInterval: Int64
    /// The EXIF orientation, 1 to 8, from the output's connection.
    public let orientation: Int
    private let lease: Mutex<FrameLease?>
    private let waiting: WaitingFrames
    private let bytes: Int

    /// - Parameter waiting: has counted this frame, but not its bytes.
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

    /// The exposure time in nanoseconds; `nil` if the driver does not tell it. Waits for the next
    /// frame, with which the driver is asked, but not for long.
    public var exposureTime: Int64? { get async { await exposure.value } }

    /// Returns another lease of the frame; `nil` once it was taken.
    func another() -> FrameLease? {
        lease.withLock { lease in
            guard let own = lease.take() else { return nil }
            let another = own.another()
            lease = consume own
            return another
        }
    }

    /// Takes the frame, once. The lease's end gives the buffer back, even if this object lives on.
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

/// The count of frames chosen and not yet taken to be encoded.
final class WaitingFrames: Sendable {
    let count = Atomic<Int>(0)
    /// The size of these frames' pixels.
    let bytes = Atomic<Int>(0)

    /// Counts one more frame if there are fewer than `most`.
    func add(ifFewerThan most: Int) -> Bool {
        if count.add(1, ordering: .relaxed).oldValue < most { return true }
        count.subtract(1, ordering: .relaxed)
        return false
    }
}

extension FrameLease {
    borrowing func bytesOfPixels(withRaw: Bool = true) -> Int {
        if description.pixelFormat.isCompressed { return info.bytesUsed }
        return description.bufferSizes.reduce(withRaw ? slot.raw?.buffer.size ?? 0 : 0, +)
    }
}
