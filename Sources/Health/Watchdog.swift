// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// Tells systemd that the service lives, as long as its threads do.
public struct Watchdog: Sendable {
    /// No heartbeat for so long, in nanoseconds, and systemd is told no more.
    private static let patience: Int64 = 5_000_000_000

    public init() {}

    /// Feeds systemd's watchdog until the task is cancelled; where there is none it returns at once.
    ///
    /// - Parameter heartbeat: when the slowest thread last moved, nanoseconds of `CLOCK_MONOTONIC`.
    public func run(heartbeat: @Sendable () -> Int64) async {
        guard let limit = ServiceManager.watchdogSeconds else { return }
        while !Task.isCancelled {
            if Clock.monotonic - heartbeat() < Self.patience { ServiceManager.watchdog() }
            try? await Task.sleep(for: .seconds(limit / 4))
        }
    }
}
