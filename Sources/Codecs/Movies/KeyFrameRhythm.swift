// SPDX-License-Identifier: GPL-3.0-or-later

/// When the next key frame is due: one a second, so that a cut recording has lost no more than that.
package struct KeyFrameRhythm {
    private static let interval: Int64 = 1_000_000_000
    private var last: Int64?

    package init() {}

    /// The next picture's turn, whatever the time.
    package mutating func reset() { last = nil }

    /// Whether the picture of this time is to be one; counts it then.
    package mutating func isDue(at time: Int64) -> Bool {
        if let last, time - last < Self.interval { return false }
        last = time
        return true
    }
}
