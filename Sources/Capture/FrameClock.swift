// SPDX-License-Identifier: GPL-3.0-or-later

/// Corrects the timestamps of one stream, in nanoseconds of `CLOCK_MONOTONIC`. Presses are compared
/// with them, so each must be of that clock, recent, and later than the previous one. Some cameras'
/// own clocks go back, and wrapped counters jump (pupil-labs/pupil#1812).
package struct FrameClock {
    /// The greatest age of a timestamp: no frame waits longer, so an older one is of another clock.
    private static let oldest: Int64 = 10_000_000_000
    /// How far a timestamp may lie ahead: some drivers stamp the end of the exposure, and deliver
    /// earlier.
    private static let newest: Int64 = 250_000_000
    private static let longestDelay: Int64 = 1_000_000_000

    private var lastClaim = Int64.min
    private var last = Int64.min
    /// The time from the last plausible timestamp until its frame was dequeued.
    private var delay: Int64 = 0

    package init() {}

    /// Returns when the frame was captured: `claim`, the driver's timestamp, if plausible; an
    /// estimate from earlier frames if it goes back; `now`, when the frame was dequeued, if it is
    /// of another clock. The result is always later than the previous one.
    package mutating func time(of claim: Int64, dequeuedAt now: Int64) -> Int64 {
        // Compare with the previous claim, not with its correction: after one leap ahead, all later
        // claims would appear to go back.
        let ascends = claim > lastClaim
        lastClaim = claim
        // Drivers without timestamps leave zero.
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
