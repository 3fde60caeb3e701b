// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A moment that a ``Poller`` can wait for. See timerfd_create(2).
public final class TimerDescriptor: Sendable {
    private let descriptor: OwnedDescriptor

    /// Creates a timer that never fires before ``arm(at:)``. Throws `EMFILE` or `ENFILE`.
    public init() throws(SystemCallError) {
        descriptor = OwnedDescriptor(
            adopting: try systemCall("timerfd_create") {
                timerfd_create(CLOCK_MONOTONIC, O_CLOEXEC | O_NONBLOCK)
            })
    }

    /// The timer's descriptor, readable when the moment has come.
    public var number: CInt { descriptor.number }

    /// Sets the moment, in nanoseconds of `CLOCK_MONOTONIC`. A past one fires at once.
    public func arm(at time: Int64) throws(SystemCallError) {
        try systemCall("timerfd_settime") { clinux_timer_arm(descriptor.number, max(time, 1)) }
    }

    /// Returns whether the timer has fired since it was set, and clears that.
    public func takeExpiry() -> Bool {
        var count: UInt64 = 0
        return unsafe read(descriptor.number, &count, 8) == 8
    }
}
