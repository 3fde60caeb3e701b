// SPDX-License-Identifier: GPL-3.0-or-later

/// Notices that what happens often has not happened for a while.
///
/// A happening costs nothing but keeping its time: the kernel's timer is set anew only when it goes
/// off, to when the limit would be reached then. A time limit on every sleep would set and clear a
/// timer each time.
public struct IdleTimer: ~Copyable, Sendable {
    private let timer: TimerDescriptor
    private let limit: Int64
    private let longestSleep: Int64

    /// - Parameters:
    ///   - limit: nanoseconds.
    ///   - longestSleep: nanoseconds after which it goes off in any case, for who waits to show that he is alive.
    public init(limit: Int64, longestSleep: Int64 = .max) throws(SystemCallError) {
        let timer = try TimerDescriptor()
        try timer.arm(at: Clock.monotonic + min(limit, longestSleep))
        self.timer = timer
        self.limit = limit
        self.longestSleep = longestSleep
    }

    /// Readable when it has gone off and ``hasExpired(since:)`` is to be asked.
    public var number: CInt { timer.number }

    /// Whether the limit has passed since `last` (nanoseconds of `CLOCK_MONOTONIC`); then it goes off
    /// again after another.
    ///
    /// - Parameter limit: nanoseconds, from now on in place of the one that it was made with; one that is shorter counts
    ///   at once.
    public func hasExpired(
        since last: Int64, limit: Int64? = nil
    ) throws(SystemCallError) -> Bool {
        let limit = limit ?? self.limit
        // Setting it clears what it has to tell: nothing need be read.
        let now = Clock.monotonic
        let isOver = now - last >= limit
        let rest = isOver ? limit : limit - (now - last)
        try timer.arm(at: now + min(rest, longestSleep))
        return isOver
    }
}
