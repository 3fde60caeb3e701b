// SPDX-License-Identifier: GPL-3.0-or-later

/// A timer that fires when a frequent event has not happened for a while. For an event, the caller
/// only stores its time. The kernel timer is set again only when it fires; a timeout on every wait
/// would set and clear one each time.
public struct IdleTimer: ~Copyable, Sendable {
    private let timer: TimerDescriptor
    private let limit: Int64
    private let longestSleep: Int64

    /// Starts the timer. `limit` is the longest time without an event, in nanoseconds. After
    /// `longestSleep` nanoseconds the timer fires in any case, so that a waiting thread can show
    /// that it is alive.
    public init(limit: Int64, longestSleep: Int64 = .max) throws(SystemCallError) {
        let timer = try TimerDescriptor()
        try timer.arm(at: Clock.monotonic + min(limit, longestSleep))
        self.timer = timer
        self.limit = limit
        self.longestSleep = longestSleep
    }

    /// The timer's descriptor, readable when the timer has fired. Call ``hasExpired(since:)`` then.
    public var number: CInt { timer.number }

    /// Returns whether the limit has passed since the event at `last`, in nanoseconds of
    /// `CLOCK_MONOTONIC`, and sets the timer again. `limit`, in nanoseconds, replaces the
    /// timer's limit until the next call; a shorter one takes effect at once.
    public func hasExpired(
        since last: Int64, limit: Int64? = nil
    ) throws(SystemCallError) -> Bool {
        let limit = limit ?? self.limit
        // Setting the timer clears its expiry: nothing need be read.
        let now = Clock.monotonic
        let isOver = now - last >= limit
        let rest = isOver ? limit : limit - (now - last)
        try timer.arm(at: now + min(rest, longestSleep))
        return isOver
    }
}
