// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// Decides what to do when a display does not show the camera's stream.
///
///     display connected ─▶ renegotiate, if the stream is not shown on it
///     stream began ──────▶ shown; else renegotiate once (a display came meanwhile); else dark
///     video failed ──────▶ dark, whatever was negotiated, until it is shown
///
/// A dark display is retried, because its memory may be free again. Each attempt may cost the
/// photos a moment of the stream, so attempts become rarer.
package struct PreviewRetryState {
    /// The consequence of a stream that has begun.
    package enum Verdict: Sendable {
        case shown, dark
        case renegotiate
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

    /// The display is connected; `stream` is how it shows the stream, and whether one is running.
    /// Returns whether the stream has to be renegotiated.
    package mutating func came(_ stream: (path: PreviewPath?, isRunning: Bool)) -> Bool {
        let mustRenegotiate = isGone || stream.isRunning && stream.path == nil
        reset()
        return mustRenegotiate
    }

    /// The display is gone, and with it what was negotiated.
    package mutating func went() {
        reset()
        isGone = true
    }

    /// A stream has begun that the display shows by this path; `nil` if it shows none.
    package mutating func began(_ path: PreviewPath?) -> Verdict {
        guard path == nil else { return hasFailed ? .unchanged : .shown }
        if wasTriedAtOnce { return .dark }
        wasTriedAtOnce = true
        return .renegotiate
    }

    /// The display cannot show the stream's frames.
    package mutating func failed() { hasFailed = true }

    /// The stream is on the display.
    package mutating func succeeded() {
        hasFailed = false
        stopTrying()
    }

    /// Schedules an attempt, unless one is scheduled. `attempt` calls ``attempted()`` first.
    package mutating func tryLater(_ attempt: @escaping @Sendable () async -> Void) {
        if waiting != nil { return }
        waiting = Task { [delay] in
            try? await Task.sleep(for: .seconds(delay))
            if !Task.isCancelled { await attempt() }
        }
        delay = min(delay * 2, Self.longestDelay)
    }

    /// The scheduled attempt has begun.
    package mutating func attempted() { waiting = nil }

    package mutating func stopTrying() {
        waiting?.cancel()
        (waiting, delay) = (nil, Self.shortestDelay)
    }

    private mutating func reset() {
        stopTrying()
        self = PreviewRetryState()
    }
}
