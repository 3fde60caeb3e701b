// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A stream's newest frames, and what is known of the next one.
struct NewestFrames: ~Copyable {
    private var ring: FrameRing
    private(set) var spacing = FrameSpacing()
    private var newest: Int64?

    init(capacity: Int) { ring = FrameRing(capacity: capacity) }

    /// Begins anew.
    mutating func reset(capacity: Int, frameInterval: Int64) {
        ring.reset(capacity: capacity)
        spacing = FrameSpacing(announced: frameInterval)
        newest = nil
    }

    mutating func clear() {
        ring.clear()
        newest = nil
    }

    mutating func add(_ lease: consuming FrameLease) {
        newest = lease.info.timestamp
        spacing.add(lease.info.timestamp)
        ring.add(lease)
    }

    /// See ``FrameRing/nearest(to:from:)``.
    mutating func nearest(to moment: Int64, from earliest: Int64 = .min) -> FrameLease? {
        ring.nearest(to: moment, from: earliest)
    }

    /// The frame nearest to `moment` if no later one can be nearer; `nil` while that is not certain. Frames may come
    /// sooner than they should by a fifth of their distance.
    mutating func certain(for moment: Int64) -> FrameLease? {
        guard let newest, newest >= moment || moment - newest <= spacing.least * 2 / 5 else {
            return nil
        }
        return ring.nearest(to: moment)
    }
}
