// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A signal that wakes a thread sleeping in a ``Poller``: an eventfd watched edge-triggered and
/// never read, so that a wake-up costs one system call on each side.
public final class WakeSignal: Sendable {
    let descriptor: OwnedDescriptor

    /// Creates a signal. Throws `EMFILE` or `ENFILE` when there are no descriptors.
    public init() throws(SystemCallError) {
        descriptor = OwnedDescriptor(
            adopting: try systemCall("eventfd") { eventfd(0, O_CLOEXEC | O_NONBLOCK) })
    }

    /// Wakes the sleeper, now or when it next sleeps. Any thread may call this; it never blocks.
    public func signal() {
        // Fails only after 2^64 - 2 unread wake-ups; reading sets the count to zero.
        if clinux_eventfd_signal(descriptor.number) < 0 {
            var count: UInt64 = 0
            _ = unsafe read(descriptor.number, &count, 8)
            _ = clinux_eventfd_signal(descriptor.number)
        }
    }
}
