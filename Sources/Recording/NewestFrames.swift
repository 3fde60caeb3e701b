// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A stream's newest frames, what is known of the next one, and how the stream's pictures are to be taken.
struct NewestFrames: ~Copyable {
    /// A frame further away than this many intervals is no answer to a press,
    private static let farthestIntervals: Int64 = 2
    /// unless it is as near as this: in dim light cameras are slower than they announce, and a photo
    /// with its true offset is better than none.
    private static let nearEnough: Int64 = 1_000_000_000

    /// What is the same for all frames of a stream.
    struct Stream {
        /// Nanoseconds from frame to frame as the driver announced it; 0 when unknown.
        var frameInterval: Int64 = 0
        /// EXIF orientation, 1 to 8.
        var orientation = 1
        /// Another one's frames have another.
        var generation = 0
    }

    private var ring: FrameRing
    private(set) var stream = Stream()
    private(set) var spacing = FrameSpacing()
    /// Its timestamp.
    private(set) var newest: Int64?
    /// What bears this timestamp or an earlier one is not there any more.
    private var gone = Int64.max

    init(capacity: Int) { ring = FrameRing(capacity: capacity) }

    /// Begins anew.
    mutating func begin(capacity: Int, frameInterval: Int64, orientation: Int) {
        clear()
        ring.reset(capacity: capacity)
        spacing = FrameSpacing(announced: frameInterval)
        (stream.frameInterval, stream.orientation) = (frameInterval, orientation)
    }

    /// The stream has ended: what comes from now on is another's.
    mutating func clear() {
        ring.clear()
        (newest, gone) = (nil, .max)
        stream.generation += 1
    }

    /// - Parameter timestamp: the frame's.
    /// - Returns: the one that has to go for it.
    mutating func add(_ lease: consuming FrameLease, at timestamp: Int64) -> FrameLease? {
        if newest == nil { gone = timestamp - 1 }
        newest = timestamp
        spacing.add(timestamp)
        guard let oldest = ring.add(lease) else { return nil }
        gone = oldest.info.timestamp
        return oldest
    }

    /// See ``FrameRing/nearest(to:from:)``.
    mutating func nearest(to moment: Int64, from earliest: Int64 = .min) -> FrameLease? {
        ring.nearest(to: moment, from: earliest)
    }

    /// See ``FrameRing/next(after:)``.
    mutating func next(after timestamp: Int64) -> FrameLease? { ring.next(after: timestamp) }

    /// Whether the frame of this stream that bears `timestamp` can be followed without a gap.
    func hasAll(after timestamp: Int64) -> Bool { gone <= timestamp }

    /// Whether the newest frame is an answer to a press, though perhaps not the best.
    func newestIsNear(_ moment: Int64, from earliest: Int64) -> Bool {
        guard let newest else { return false }
        return newest >= earliest && isNear(newest - moment)
    }

    /// Whether a frame with this offset, in nanoseconds, is an answer to a press.
    func isNear(_ offset: Int64) -> Bool {
        abs(offset) <= max(stream.frameInterval * Self.farthestIntervals, Self.nearEnough)
    }

    /// The frame nearest to `moment` if no later one can be nearer; `nil` while that is not certain: the next one may come
    /// as much too soon as any has of late, and a thirty-second sooner.
    mutating func certain(for moment: Int64) -> FrameLease? {
        guard let newest, newest >= moment || moment - newest <= spacing.least * 31 / 64,
            let lease = ring.nearest(to: moment), isNear(lease.info.timestamp - moment)
        else { return nil }
        return lease
    }
}
