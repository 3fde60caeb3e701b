// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A point in time that a ``Poller`` can wait for. See timerfd_create(2).
public final class TimerDescriptor: Sendable {
    private let descriptor: OwnedDescriptor

    /// Never due before ``arm(at:)``. Throws `EMFILE` or `ENFILE` when there are no descriptors.
    public init() throws(SystemCallError) {
        descriptor = OwnedDescriptor(
            adopting: try systemCall("timerfd_create") {
                timerfd_create(CLOCK_MONOTONIC, O_CLOEXEC | O_NONBLOCK)
            })
    }

    /// Readable when the time has come.
    public var number: CInt { descriptor.number }

    /// Sets the time, in nanoseconds of `CLOCK_MONOTONIC`; one that has passed is due at once.
    public func arm(at time: Int64) throws(SystemCallError) {
        try systemCall("timerfd_settime") { clinux_timer_arm(descriptor.number, max(time, 1)) }
    }

    /// Whether the time has come since it was set; says so once.
    public func takeExpiry() -> Bool {
        var count: UInt64 = 0
        return unsafe read(descriptor.number, &count, 8) == 8
    }
}
