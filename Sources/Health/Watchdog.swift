// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// Tells systemd that the service is alive while its threads move, or that it certainly hangs.
///
///     moving ──no heartbeat for 5 s──▶ doubtful ──for 4 s more, seen without a gap──▶ hanging
///        ▲                               │
///        └───────────heartbeat───────────┘
public struct Watchdog: Sendable {
    /// The result of a check: the message for systemd.
    package enum Verdict { case lives, nothing, hangs }

    /// The time without a heartbeat, in nanoseconds, after which systemd is told nothing.
    private static let patience: Int64 = 5_000_000_000
    /// Nanoseconds after that in which others can replace the thread, before systemd is told.
    private static let certainty: Int64 = 4_000_000_000
    /// The longest pause between checks. After a longer one this task may have been stopped along
    /// with all threads, so the time of doubt starts again.
    private static let gap: Int64 = 1_500_000_000

    private var doubtfulSince: Int64?
    private var lastLook: Int64 = 0

    /// Creates a watchdog that has not checked yet.
    public init() {}

    /// Feeds systemd's watchdog until the task is cancelled; returns at once if systemd expects
    /// none. `heartbeat` returns when the slowest thread last moved, in nanoseconds of
    /// `CLOCK_MONOTONIC`.
    public consuming func run(heartbeat: @Sendable () -> Int64) async {
        guard let limit = ServiceManager.watchdogSeconds else { return }
        while !Task.isCancelled {
            switch look(at: heartbeat(), now: Clock.monotonic) {
            case .lives: ServiceManager.watchdog()
            case .hangs: ServiceManager.watchdogExpired()
            case .nothing: break
            }
            try? await Task.sleep(for: .seconds(min(limit / 4, 1)))
        }
    }

    package mutating func look(at heartbeat: Int64, now: Int64) -> Verdict {
        defer { lastLook = now }
        if now - heartbeat < Self.patience {
            doubtfulSince = nil
            return .lives
        }
        guard let since = doubtfulSince, now - lastLook < Self.gap else {
            doubtfulSince = now
            return .nothing
        }
        return now - since < Self.certainty ? .nothing : .hangs
    }
}
