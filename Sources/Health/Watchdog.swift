// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// Tells systemd that the service lives, as long as its threads do, and that it does not, as soon as that is
/// certain.
///
///     moving ──no heartbeat for 5 s──▶ doubtful ──for 4 s more, seen without a gap──▶ hanging
///        ▲                               │
///        └───────────heartbeat───────────┘
public struct Watchdog: Sendable {
    /// What systemd is to be told.
    package enum Verdict { case lives, nothing, hangs }

    /// No heartbeat for so long, in nanoseconds, and systemd is told no more.
    private static let patience: Int64 = 5_000_000_000
    /// And for so long after that, in which others could give the thread up, and systemd is told.
    private static let certainty: Int64 = 4_000_000_000
    /// Who has not looked for so long may have stood still with all other threads.
    private static let gap: Int64 = 1_500_000_000

    private var doubtfulSince: Int64?
    private var lastLook: Int64 = 0

    /// Nothing is in doubt, and nobody has looked.
    public init() {}

    /// Feeds systemd's watchdog until the task is cancelled; where there is none it returns at once.
    ///
    /// - Parameter heartbeat: when the slowest thread last moved, nanoseconds of `CLOCK_MONOTONIC`.
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
