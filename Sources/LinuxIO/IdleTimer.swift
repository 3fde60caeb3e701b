// SPDX-License-Identifier: GPL-3.0-or-later

/// Notices that what happens often has not happened for a while.
///
/// A happening costs nothing but keeping its time: the kernel's timer is set anew only when it goes
/// off, to when the limit would be reached then. A time limit on every sleep would set and clear a
/// timer each time.
public struct IdleTimer: ~Copyable, Sendable {
    private let timer: TimerDescriptor
    private let limit: Int64

    /// - Parameter limit: nanoseconds.
    public init(limit: Int64) throws(SystemCallError) {
        let timer = try TimerDescriptor()
        try timer.arm(at: Clock.monotonic + limit)
        self.timer = timer
        self.limit = limit
    }

    /// Readable when it has gone off and ``hasExpired(since:)`` is to be asked.
    public var number: CInt { timer.number }

    /// Whether the limit has passed since `last` (nanoseconds of `CLOCK_MONOTONIC`); then it goes off
    /// again after another.
    public func hasExpired(since last: Int64) throws(SystemCallError) -> Bool {
        // Setting it clears what it has to tell: nothing need be read.
        let now = Clock.monotonic
        let isOver = now - last >= limit
        try timer.arm(at: (isOver ? now : last) + limit)
        return isOver
    }
}
