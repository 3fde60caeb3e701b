// SPDX-License-Identifier: GPL-3.0-or-later

/// When a picture has to be one that stands for itself: no part of a movie that begins with one lasts longer than a
/// second, as long as pictures come as they came before.
package struct KeyFrameRhythm {
    private static let interval: Int64 = 1_000_000_000
    private var last: Int64?
    private var previous: Int64?

    package init() {}

    /// The next picture's turn, whatever the time.
    package mutating func reset() { last = nil }

    /// Whether the picture of this time is to be one, because the next one would come too late; counts it then.
    package mutating func isDue(at time: Int64) -> Bool {
        let step = max(time - (previous ?? time), 0)
        previous = time
        if let last, time - last + step <= Self.interval { return false }
        last = time
        return true
    }
}
