// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// The variants of a stream: a smaller one when the network is too slow, and a larger one again
/// once it has carried the smaller one for a while.
extension PlayerEngine {
    /// When a larger variant is tried.
    struct Growth {
        /// How long the network must have carried the present variant, in nanoseconds. It doubles
        /// with each attempt.
        var patience: Int64 = 10_000_000_000
        /// The instant of the last change.
        var changed: Int64 = 0
    }

    private static let mostPatience: Int64 = 1800_000_000_000

    func takeSmallerVariant(of feed: MediaFeed) {
        guard hasLanded, feed.reduce() else { return }
        reopen()
    }

    func takeLargerVariant(of feed: MediaFeed) {
        guard growth.changed > 0, hasLanded, Clock.monotonic - growth.changed > growth.patience,
            feed.grow()
        else { return }
        growth.patience = min(growth.patience * 2, Self.mostPatience)
        reopen()
    }

    private func reopen() {
        growth.changed = Clock.monotonic
        order(clock.time, reopens: true)
    }
}
