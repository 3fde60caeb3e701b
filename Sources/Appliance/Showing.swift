// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// Whether a display shows the camera's stream, and what is to be done where it does not.
///
///     came ─────▶ agreed anew, where nothing is shown on it
///     began ────▶ shown; else agreed anew once, for a display that came meanwhile; else dark
///     failed ───▶ dark, whatever was agreed, until it is shown
///
/// One that is dark is tried again: it may have memory again, for example. Each time may cost the photos a moment of the
/// stream: less and less often.
package struct Showing {
    /// What a stream that has begun means for it.
    package enum Verdict: Sendable {
        case shown, dark
        /// The stream is to be agreed anew, at once.
        case agreeAnew
        /// What is known stays so.
        case unchanged
    }

    private static let shortestDelay = 10
    private static let longestDelay = 640
    private var isGone = false
    private var hasFailed = false
    private var wasTriedAtOnce = false
    private var delay = shortestDelay
    private var waiting: Task<Void, Never>?

    package init() {}

    /// The display has come.
    ///
    /// - Parameter stream: the one that runs, and how the display shows it; `nil` where none does.
    /// - Returns: whether the stream is to be agreed anew.
    package mutating func came(_ stream: (path: PreviewPath?, isRunning: Bool)) -> Bool {
        let isToAgree = isGone || stream.isRunning && stream.path == nil
        end()
        return isToAgree
    }

    /// The display has gone, and with it what was agreed.
    package mutating func went() {
        end()
        isGone = true
    }

    /// A stream has begun that the display shows in this way.
    package mutating func began(_ path: PreviewPath?) -> Verdict {
        guard path == nil else { return hasFailed ? .unchanged : .shown }
        if wasTriedAtOnce { return .dark }
        wasTriedAtOnce = true
        return .agreeAnew
    }

    /// The display has given the stream up.
    package mutating func failed() { hasFailed = true }

    /// The stream is on the display.
    package mutating func succeeded() {
        hasFailed = false
        stopTrying()
    }

    /// - Parameter attempt: done once after a while, unless one is waited for already; ``attempted()`` is for it to say.
    package mutating func tryLater(_ attempt: @escaping @Sendable () async -> Void) {
        if waiting != nil { return }
        waiting = Task { [delay] in
            try? await Task.sleep(for: .seconds(delay))
            if !Task.isCancelled { await attempt() }
        }
        delay = min(delay * 2, Self.longestDelay)
    }

    /// The attempt is being made.
    package mutating func attempted() { waiting = nil }

    /// Nothing is tried again.
    package mutating func stopTrying() {
        waiting?.cancel()
        (waiting, delay) = (nil, Self.shortestDelay)
    }

    private mutating func end() {
        stopTrying()
        self = Showing()
    }
}
