// SPDX-License-Identifier: GPL-3.0-or-later

/// What a camera's timestamps are worth. Presses are compared with them, so each must be of
/// `CLOCK_MONOTONIC`, near, and later than the one before; cameras that are asked for their own clock's time
/// are known to go back, and wrapped counters to jump (pupil-labs/pupil#1812).
///
/// One for each stream. All times are nanoseconds of `CLOCK_MONOTONIC`.
package struct FrameClock {
    /// A timestamp further back is of another clock; nobody leaves a frame in the queue for so long.
    private static let oldest: Int64 = 10_000_000_000
    /// Some drivers stamp a frame with the end of its exposure, and give it out before that.
    private static let newest: Int64 = 250_000_000
    private static let longestDelay: Int64 = 1_000_000_000

    private var lastClaim = Int64.min
    private var last = Int64.min
    /// From the last timestamp that could be to the moment its frame was taken out of the queue.
    private var delay: Int64 = 0

    package init() {}

    /// When the frame was taken.
    ///
    /// - Parameters:
    ///   - claim: what the driver says.
    ///   - now: when the frame was taken out of the queue.
    /// - Returns: `claim` where that can be; what the frames before it make likely where it goes back; `now`
    ///   where it is of another clock. Always later than the time before.
    package mutating func time(of claim: Int64, dequeuedAt now: Int64) -> Int64 {
        // Against the claim before, not against what was made of it: one leap ahead would make all that
        // follow look as if they went back.
        let ascends = claim > lastClaim
        lastClaim = claim
        // Drivers that stamp nothing leave zero.
        let isNear = claim > 0 && claim > now - Self.oldest && claim < now + Self.newest
        var time = now
        if isNear, ascends {
            time = claim
            delay = min(max(now - claim, 0), Self.longestDelay)
        } else if isNear {
            time = now - delay
        }
        last = max(time, last &+ 1)
        return last
    }
}
