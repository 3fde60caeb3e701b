// SPDX-License-Identifier: GPL-3.0-or-later

/// How far apart a stream's frames are, in nanoseconds.
struct FrameSpacing {
    /// Beyond it the stream stood still.
    private static let most: Int64 = 1_000_000_000

    /// As announced, or further, as cameras are that take longer exposures in dim light.
    private(set) var value: Int64
    /// The next frame is not to be expected sooner after the last one; 0 when that cannot be told.
    private(set) var least: Int64 = 0
    private let announced: Int64
    /// How far off the announced distance frames have been of late: the most, which fades by a sixteenth a frame.
    private var jitter: Int64
    private var last: Int64?

    init(announced: Int64 = 0) {
        (value, self.announced) = (announced, announced)
        // What nobody has seen yet is taken for bad.
        jitter = announced / 5
    }

    /// Notes a frame.
    mutating func add(_ timestamp: Int64) {
        let distance = last.map { timestamp &- $0 } ?? 0
        if distance <= Self.most { value = max(announced, distance) }
        last = timestamp
        guard announced > 0, distance > 0 else { return least = 0 }
        jitter = max(min(abs(distance - announced), announced), jitter - jitter / 16)
        // Behind one that was late by so much, the next comes so much sooner.
        least = announced - jitter
    }
}
