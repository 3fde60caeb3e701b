// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSystemd
internal import Synchronization

/// Tells systemd how the service is doing (sd_notify(3)). Without systemd nothing happens.
public enum ServiceManager {
    /// The start is complete.
    public static func ready() { notify("READY=1") }
    /// The end has begun.
    public static func stopping() {
        isStopping.store(true, ordering: .relaxed)
        notify("STOPPING=1")
    }
    /// The service lives.
    public static func watchdog() { notify("WATCHDOG=1") }
    /// The service hangs: systemd is to act as if ``watchdog()`` had not come in time. Who is stopping has a time
    /// limit of its own, in which what was accepted is finished.
    public static func watchdogExpired() {
        if !isStopping.load(ordering: .relaxed) { notify("WATCHDOG=trigger") }
    }

    private static let isStopping = Atomic<Bool>(false)

    private static func notify(_ state: String) { _ = unsafe sd_notify(0, state) }

    /// How often systemd wants to hear ``watchdog()``, in seconds; `nil` when it does not.
    public static var watchdogSeconds: Double? {
        var microseconds: UInt64 = 0
        return unsafe sd_watchdog_enabled(0, &microseconds) > 0
            ? Double(microseconds) / 1_000_000 : nil
    }
}
