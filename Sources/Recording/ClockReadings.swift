// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// The readings of the system's clocks at a recent moment.
public struct ClockReadings: Sendable {
    /// The wall time in nanoseconds since 1970.
    public let wallTime: Int64
    /// Seconds by which local time was ahead of UTC.
    public let utcOffset: Int
    /// Whether the wall clock was known to be right.
    public let isRight: Bool
    /// `CLOCK_BOOTTIME` in nanoseconds.
    public let bootTime: Int64

    /// Derives the readings at `moment`, nanoseconds of `CLOCK_MONOTONIC`, from the present ones.
    public init(at moment: Int64) {
        // Read first: a clock set in between must not make a wrong time count as right.
        isRight = Clock.isSynchronized
        let age = Clock.monotonic - moment
        wallTime = Clock.wall - age
        bootTime = Clock.boot - age
        utcOffset = Clock.utcOffset(at: wallTime)
    }
}
