// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// One press's claim on frames in a row: from the one nearest to its shutter moment on, none left out; where a time is
/// wanted for whose frames there is no memory, as many of them as there is, evenly.
public final class BurstClaim: Sendable {
    /// Nanoseconds of `CLOCK_MONOTONIC`; may lie ahead.
    public let moment: Int64
    /// Frames that are wanted at the most.
    public let count: Int
    /// From the first frame's timestamp to the last one's at least, nanoseconds; `nil` where ``count`` alone ends it.
    public let duration: Int64?
    /// The frames as they come, each with its own offset from the moment. Ends after ``count`` of them, or ``duration``;
    /// before that when the camera goes, or more wait to be encoded than there is memory for. For one reader.
    public let frames: AsyncStream<CapturedFrame>

    /// As a ``FrameClaim``'s.
    let exposedAfter: Int64
    /// Whether its copies have what the sensor measured.
    let keepsRaw: Bool
    private let continuation: AsyncStream<CapturedFrame>.Continuation
    private let progress: Mutex<Progress>

    private struct Progress {
        /// What its press has claimed already, until it has begun.
        var edge: FrameClaim?
        var taken = 0
        var begin: Int64?
        /// Of the last frame, and of the last one that was taken.
        var timestamp: Int64?
        var lastTaken: Int64?
        var isOver = false
    }

    init(
        moment: Int64, count: Int, duration: Int64?, exposedAfter: Int64, keepsRaw: Bool,
        edge: FrameClaim?
    ) {
        self.moment = moment
        self.duration = duration
        self.count = count
        self.exposedAfter = exposedAfter
        self.keepsRaw = keepsRaw
        progress = Mutex(Progress(edge: edge))
        (frames, continuation) = AsyncStream.makeStream(of: CapturedFrame.self)
    }

    /// Whether it gets no more frames. Any thread.
    var isOver: Bool { progress.withLock { $0.isOver } }

    /// Whether it has got one.
    var hasBegun: Bool { progress.withLock { $0.taken > 0 } }

    /// The frame that it gets next, if it has come. It ends where the first one that comes is far from its moment.
    func next(of frames: inout NewestFrames) -> FrameLease? {
        let (last, edge) = progress.withLock { ($0.timestamp, $0.edge) }
        if let last { return frames.next(after: last) }
        let earliest = FrameClaim.earliest(exposedAfter, frames.spacing.value)
        guard let newest = frames.newest, newest >= max(moment, earliest) else { return nil }
        // One that cannot be followed goes back to the camera.
        if let lease = edge?.takeLease(), frames.hasAll(after: lease.info.timestamp) {
            return lease
        }
        guard let lease = frames.nearest(to: moment, from: earliest) else { return nil }
        if frames.isNear(lease.info.timestamp - moment) { return lease }
        end()
        return nil
    }

    /// Whether a frame is left out, so that what comes in the wanted time has room; it is over with then.
    ///
    /// - Parameters:
    ///   - bytes: of each frame.
    ///   - room: for all of them, in bytes.
    func leavesOut(_ timestamp: Int64, _ bytes: Int, room: Int) -> Bool {
        guard let duration, bytes > 0 else { return false }
        // The first one is taken in any case.
        let others = max(room / bytes - 1, 1)
        return progress.withLock { progress in
            // Cameras are not punctual to the microsecond.
            guard let last = progress.lastTaken,
                timestamp - last + Self.tolerance < duration / Int64(others)
            else { return false }
            progress.timestamp = timestamp
            return true
        }
    }

    private static let tolerance: Int64 = 2_000_000

    /// Hands it on, and ends with the last one.
    func take(_ frame: CapturedFrame) {
        let isComplete = progress.withLock { progress in
            progress.edge = nil
            progress.taken += 1
            let begin = progress.begin ?? frame.info.timestamp
            (progress.begin, progress.timestamp) = (begin, frame.info.timestamp)
            progress.lastTaken = frame.info.timestamp
            let isLong = duration.map { frame.info.timestamp - begin >= $0 } ?? false
            return isLong || progress.taken >= count
        }
        continuation.yield(frame)
        if isComplete { end() }
    }

    /// No more frames come. Any thread; a second time does nothing.
    func end() {
        progress.withLock { ($0.isOver, $0.edge) = (true, nil) }
        continuation.finish()
    }
}
