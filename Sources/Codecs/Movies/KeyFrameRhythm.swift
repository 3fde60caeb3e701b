// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides which pictures are key frames: they are at most a second apart, as long as the interval
/// between pictures does not grow.
package struct KeyFrameRhythm {
    private static let interval: Int64 = 1_000_000_000
    private var last: Int64?
    private var previous: Int64?

    package init() {}

    /// Makes the next picture a key frame.
    package mutating func reset() { last = nil }

    /// Records a picture. Returns whether it must be a key frame, as the next would be too late.
    package mutating func isDue(at time: Int64) -> Bool {
        let step = max(time - (previous ?? time), 0)
        previous = time
        if let last, time - last + step <= Self.interval { return false }
        last = time
        return true
    }
}
