// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The newest frames, held so that a press that is noticed late still finds the frame before it.
/// For one thread at a time. Allocates nothing after init.
struct FrameRing: ~Copyable {
    private var leases: InlineArray<4, FrameLease?>
    private var next = 0
    private(set) var capacity: Int

    init(capacity: Int) {
        precondition((1...4).contains(capacity))
        self.capacity = capacity
        leases = InlineArray { _ in nil }
    }

    mutating func reset(capacity: Int) {
        precondition((1...4).contains(capacity))
        clear()
        self.capacity = capacity
    }

    /// Adds a frame; returns the oldest one if the ring was full.
    mutating func add(_ lease: consuming FrameLease) -> FrameLease? {
        let oldest = leases[next].take()
        leases[next] = consume lease
        next = (next + 1) % capacity
        return oldest
    }

    mutating func clear() {
        for index in 0..<capacity { leases[index] = nil }
        next = 0
    }

    /// Returns a new lease of the held frame nearest to `moment`, not before `earliest`. The
    /// earlier of two equally near frames wins.
    mutating func nearest(to moment: Int64, from earliest: Int64 = .min) -> FrameLease? {
        var best: Int?
        var bestDistance = Int64.max
        var bestTimestamp = Int64.max
        for index in 0..<capacity {
            guard let timestamp = timestamp(index), timestamp >= earliest else { continue }
            let distance = abs(timestamp - moment)
            if distance < bestDistance || distance == bestDistance && timestamp < bestTimestamp {
                (best, bestDistance, bestTimestamp) = (index, distance, timestamp)
            }
        }
        return best.flatMap { another($0) }
    }

    /// Returns a new lease of the oldest held frame after `timestamp`.
    mutating func next(after timestamp: Int64) -> FrameLease? {
        var oldest: (index: Int, timestamp: Int64)?
        for index in 0..<capacity {
            guard let time = self.timestamp(index), time > timestamp,
                time < oldest?.timestamp ?? .max
            else { continue }
            oldest = (index, time)
        }
        return oldest.flatMap { another($0.index) }
    }

    private mutating func another(_ index: Int) -> FrameLease? {
        guard let lease = leases[index].take() else { return nil }
        let own = lease.another()
        leases[index] = consume lease
        return own
    }

    private mutating func timestamp(_ index: Int) -> Int64? {
        guard let lease = leases[index].take() else { return nil }
        let timestamp = lease.info.timestamp
        leases[index] = consume lease
        return timestamp
    }
}
