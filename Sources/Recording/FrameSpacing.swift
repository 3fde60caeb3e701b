// SPDX-License-Identifier: GPL-3.0-or-later

/// The time between a stream's frames, in nanoseconds.
struct FrameSpacing {
    /// A longer gap means that the stream stood still.
    private static let most: Int64 = 1_000_000_000

    /// The last gap, but at least the announced one: in dim light cameras expose longer.
    private(set) var value: Int64
    /// The shortest gap to expect before the next frame; 0 if unknown.
    private(set) var least: Int64 = 0
    private let announced: Int64
    /// The largest recent deviation from the announced gap. It fades by a sixteenth per frame.
    private var jitter: Int64
    private var last: Int64?

    init(announced: Int64 = 0) {
        (value, self.announced) = (announced, announced)
        // An unknown camera is assumed to be unsteady.
        jitter = announced / 5
    }

    mutating func add(_ timestamp: Int64) {
        let distance = last.map { timestamp &- $0 } ?? 0
        if distance <= Self.most { value = max(announced, distance) }
        last = timestamp
        guard announced > 0, distance > 0 else { return least = 0 }
        jitter = max(min(abs(distance - announced), announced), jitter - jitter / 16)
        // The frame after a late one comes sooner by as much.
        least = announced - jitter
    }
}
