// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// Wakes a thread that sleeps in a ``Poller``: an eventfd watched edge-triggered and never read, so
/// that a wake-up costs one system call on each side.
public final class WakeSignal: Sendable {
    let descriptor: OwnedDescriptor

    /// Not signalled. Throws `EMFILE` or `ENFILE` when there are no descriptors.
    public init() throws(SystemCallError) {
        descriptor = OwnedDescriptor(
            adopting: try systemCall("eventfd") { eventfd(0, O_CLOEXEC | O_NONBLOCK) })
    }

    /// Wakes the sleeper, now or when it next sleeps. Safe on any thread; never blocks.
    public func signal() {
        // Fails only when 2^64 - 2 wake-ups have gone unread: start again from zero then.
        if clinux_eventfd_signal(descriptor.number) < 0 {
            var count: UInt64 = 0
            _ = unsafe read(descriptor.number, &count, 8)
            _ = clinux_eventfd_signal(descriptor.number)
        }
    }
}
