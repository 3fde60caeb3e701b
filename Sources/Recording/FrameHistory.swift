// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A stream's newest frames, their spacing, and the facts that all of its photos share. Its rule
/// says which frame is nearest to a press; ``PhotoOutput`` applies the rule.
struct FrameHistory: ~Copyable {
    /// A frame within this many intervals of a press answers it.
    private static let farthestIntervals: Int64 = 2
    /// A frame within this many nanoseconds answers a press in any case: in dim light cameras are
    /// slower than announced, and a photo with its true offset is better than none.
    private static let nearEnough: Int64 = 1_000_000_000

    /// The facts that are the same for all frames of a stream.
    struct Stream {
        /// Nanoseconds between frames as the driver announced them; 0 if unknown.
        var frameInterval: Int64 = 0
        /// The EXIF orientation, 1 to 8.
        var orientation = 1
        /// A number that changes from stream to stream.
        var generation = 0
    }

    private var ring: FrameRing
    private(set) var stream = Stream()
    private(set) var spacing = FrameSpacing()
    /// The newest frame's timestamp.
    private(set) var newest: Int64?
    /// The timestamp up to which frames are no longer held.
    private var gone = Int64.max

    init(capacity: Int) { ring = FrameRing(capacity: capacity) }

    mutating func begin(capacity: Int, frameInterval: Int64, orientation: Int) {
        clear()
        ring.reset(capacity: capacity)
        spacing = FrameSpacing(announced: frameInterval)
        (stream.frameInterval, stream.orientation) = (frameInterval, orientation)
    }

    mutating func clear() {
        ring.clear()
        (newest, gone) = (nil, .max)
        stream.generation += 1
    }

    /// Adds a frame with its timestamp. Returns the oldest frame if the ring was full.
    mutating func add(_ lease: consuming FrameLease, at timestamp: Int64) -> FrameLease? {
        if newest == nil { gone = timestamp - 1 }
        newest = timestamp
        spacing.add(timestamp)
        guard let oldest = ring.add(lease) else { return nil }
        gone = oldest.info.timestamp
        return oldest
    }

    mutating func nearest(to moment: Int64, from earliest: Int64 = .min) -> FrameLease? {
        ring.nearest(to: moment, from: earliest)
    }

    mutating func next(after timestamp: Int64) -> FrameLease? { ring.next(after: timestamp) }

    /// Whether all frames of this stream after `timestamp` are held.
    func hasAll(after timestamp: Int64) -> Bool { gone <= timestamp }

    /// Whether the newest frame answers a press, though perhaps not best.
    func newestIsNear(_ moment: Int64, from earliest: Int64) -> Bool {
        guard let newest else { return false }
        return newest >= earliest && isNear(newest - moment)
    }

    /// Whether a frame with this offset, in nanoseconds, answers a press.
    func isNear(_ offset: Int64) -> Bool {
        abs(offset) <= max(stream.frameInterval * Self.farthestIntervals, Self.nearEnough)
    }

    /// Returns the frame nearest to `moment` if no later one can be nearer, else `nil`. The next
    /// frame may come as early as recent jitter suggests, and a thirty-second earlier.
    mutating func certain(for moment: Int64) -> FrameLease? {
        guard let newest, newest >= moment || moment - newest <= spacing.least * 31 / 64,
            let lease = ring.nearest(to: moment), isNear(lease.info.timestamp - moment)
        else { return nil }
        return lease
    }
}
