// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSystemd
internal import Synchronization

/// Reports of the service's state to systemd (sd_notify(3)). Nothing happens without systemd.
public enum ServiceManager {
    /// Reports that the start is complete.
    public static func ready() { notify("READY=1") }
    /// Reports that the service is stopping.
    public static func stopping() {
        isStopping.store(true, ordering: .relaxed)
        notify("STOPPING=1")
    }
    /// Reports that the service is alive.
    public static func watchdog() { notify("WATCHDOG=1") }
    /// Reports that the service hangs: systemd acts as if ``watchdog()`` had come too late. Does
    /// nothing after ``stopping()``: stopping has a time limit of its own, within which accepted
    /// work is finished.
    public static func watchdogExpired() {
        if !isStopping.load(ordering: .relaxed) { notify("WATCHDOG=trigger") }
    }

    private static let isStopping = Atomic<Bool>(false)

    private static func notify(_ state: String) { _ = unsafe sd_notify(0, state) }

    /// The seconds within which systemd expects each ``watchdog()``; `nil` if it expects none.
    public static var watchdogSeconds: Double? {
        var microseconds: UInt64 = 0
        return unsafe sd_watchdog_enabled(0, &microseconds) > 0
            ? Double(microseconds) / 1_000_000 : nil
    }
}
