// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// A press's claim on consecutive frames, from the one nearest to its shutter moment on. A burst
/// with a ``duration`` whose frames exceed the memory gets evenly spaced ones instead.
public final class BurstClaim: Sendable {
    /// The shutter moment in nanoseconds of `CLOCK_MONOTONIC`; it may lie ahead.
    public let moment: Int64
    /// The most frames that are wanted.
    public let count: Int
    /// Nanoseconds from first frame to last, at least; `nil` if ``count`` alone ends the burst.
    public let duration: Int64?
    /// The frames with their offsets from the moment. Ends after ``count`` frames or ``duration``;
    /// earlier if the camera goes or too many frames wait to be encoded. For one reader.
    public let frames: AsyncStream<CapturedFrame>

    let exposedAfter: Int64
    /// Whether copies include the sensor's raw data.
    let keepsRaw: Bool
    private let continuation: AsyncStream<CapturedFrame>.Continuation
    private let progress: Mutex<Progress>

    private struct Progress {
        /// The press's earlier claim, until the burst has begun.
        var edge: FrameClaim?
        var taken = 0
        var begin: Int64?
        /// The timestamps of the last frame, and of the last one that was taken.
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

    /// Whether the burst gets no more frames. Any thread.
    var isOver: Bool { progress.withLock { $0.isOver } }

    var hasBegun: Bool { progress.withLock { $0.taken > 0 } }

    /// Returns the next frame if it came; ends a burst whose first frame is far from the moment.
    func next(of frames: inout FrameHistory) -> FrameLease? {
        let (last, edge) = progress.withLock { ($0.timestamp, $0.edge) }
        if let last { return frames.next(after: last) }
        let earliest = FrameClaim.earliest(exposedAfter, frames.spacing.value)
        guard let newest = frames.newest, newest >= max(moment, earliest) else { return nil }
        // A frame whose successors are gone goes back to the camera.
        if let lease = edge?.takeLease(), frames.hasAll(after: lease.info.timestamp) {
            return lease
        }
        guard let lease = frames.nearest(to: moment, from: earliest) else { return nil }
        if frames.isNear(lease.info.timestamp - moment) { return lease }
        end()
        return nil
    }

    /// Returns whether to skip a frame of this many bytes, so that `room`, the bytes for all
    /// frames, lasts for the whole duration. Notes a skipped frame.
    func leavesOut(_ timestamp: Int64, _ bytes: Int, room: Int) -> Bool {
        guard let duration, bytes > 0 else { return false }
        // The first frame is always taken.
        let others = max(room / bytes - 1, 1)
        return progress.withLock { progress in
            // The tolerance allows for the camera's jitter.
            guard let last = progress.lastTaken,
                timestamp - last + Self.tolerance < duration / Int64(others)
            else { return false }
            progress.timestamp = timestamp
            return true
        }
    }

    private static let tolerance: Int64 = 2_000_000

    /// Hands the frame to the reader, and ends the burst after the last one.
    func deliver(_ frame: CapturedFrame) {
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

    /// Ends the burst. Any thread; does nothing the second time.
    func end() {
        progress.withLock { ($0.isOver, $0.edge) = (true, nil) }
        continuation.finish()
    }
}
