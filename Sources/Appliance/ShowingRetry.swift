// SPDX-License-Identifier: GPL-3.0-or-later

/// Tries again to show what a display could not: it may have memory again, for example. Each time costs the photos a
/// moment of the stream: less and less often.
struct ShowingRetry {
    private static let shortestDelay = 10
    private static let longestDelay = 640
    private var delay = shortestDelay
    private var waiting: Task<Void, Never>?

    /// - Parameter attempt: done once after a while, unless one is waited for already.
    mutating func schedule(_ attempt: @escaping @Sendable () async -> Void) {
        if waiting != nil { return }
        waiting = Task { [delay] in
            try? await Task.sleep(for: .seconds(delay))
            if !Task.isCancelled { await attempt() }
        }
        delay = min(delay * 2, Self.longestDelay)
    }

    /// The attempt is being made.
    mutating func begin() { waiting = nil }

    /// It is shown, or nobody waits for it any more.
    mutating func end() {
        waiting?.cancel()
        self = ShowingRetry()
    }
}
