// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// What the clocks said at a moment of the recent past.
public struct MomentClocks: Sendable {
    /// Nanoseconds since 1970.
    public let wallTime: Int64
    /// Seconds that local time was ahead of UTC then.
    public let utcOffset: Int
    /// Whether the wall clock was known to be right.
    public let isRight: Bool
    /// `CLOCK_BOOTTIME`, nanoseconds.
    public let bootTime: Int64

    /// - Parameter moment: nanoseconds of `CLOCK_MONOTONIC`.
    public init(at moment: Int64) {
        // Comes first: a clock that is set in between must not make a wrong time count as right.
        isRight = Clock.isSynchronized
        let age = Clock.monotonic - moment
        wallTime = Clock.wall - age
        bootTime = Clock.boot - age
        utcOffset = Clock.utcOffset(at: wallTime)
    }
}
