// SPDX-License-Identifier: GPL-3.0-or-later

/// The health of a contact: whether it behaves as if a person used it. If not, the button is muted
/// until it does.
///
///             held for `stuckAfter`                 more edges or presses than a hand makes
///     stuck ◀──────────────────────── fine ───────────────────────────────────▶ noisy
///       └───────── released ──────────▶ ◀───────── no edge for 3 s ─────────────┘
///
/// Times are nanoseconds of `CLOCK_MONOTONIC`; the type reads no clock itself.
package struct ContactHealth: Sendable {
    package enum State: Sendable {
        case fine
        case stuck
        case noisy
    }

    /// The most edges and presses per second that a hand makes. A worn contact that bounces fifty
    /// times per press stays below, as does a child that presses as fast as it can.
    package static let mostEdges = 400
    package static let mostPresses = 20
    /// The most edges in each of two consecutive seconds without a press. Mains hum makes 100 or
    /// 120 and never rests.
    package static let mostRestlessEdges = 60
    private static let window: Int64 = 1_000_000_000
    private static let quiet: Int64 = 3_000_000_000

    package private(set) var state = State.fine
    private let stuckAfter: Int64?
    private var pressedSince: Int64?
    private var windowStart: Int64 = .min / 2
    private var edges = 0
    private var presses = 0
    private var lastEdge: Int64 = .min / 2
    /// Whether the previous second had too many edges and no press.
    private var isRestless = false

    /// `stuckAfter` is the longest press in nanoseconds; `nil` means no limit.
    package init(stuckAfter: Int64?) {
        self.stuckAfter = stuckAfter
    }

    package var isMuted: Bool { state != .fine }

    /// The time at which to call ``advance(to:)``; `nil` for none.
    package var nextDeadline: Int64? {
        switch state {
        case .noisy: lastEdge + Self.quiet
        case .stuck: nil
        case .fine: pressedSince.flatMap { since in stuckAfter.map { since + $0 } }
        }
    }

    package mutating func edge(at time: Int64) {
        if time - windowStart >= Self.window {
            isRestless =
                edges > Self.mostRestlessEdges && presses == 0
                && time - windowStart < 2 * Self.window
            windowStart = time
            edges = 0
            presses = 0
        }
        lastEdge = max(lastEdge, time)
        edges += 1
        // Decided by the edge that exceeds the limit: the first edge after the noise may be a
        // person's.
        let isRestlessAgain = isRestless && presses == 0 && edges > Self.mostRestlessEdges
        if edges > Self.mostEdges || isRestlessAgain { state = .noisy }
    }

    /// Counts a press, even one that is not reported.
    package mutating func countPress() {
        presses += 1
        if presses > Self.mostPresses { state = .noisy }
    }

    /// Notes whether the contact is pressed, and has been since `time` or earlier.
    package mutating func contact(isPressed: Bool, at time: Int64) {
        pressedSince = isPressed ? pressedSince ?? time : nil
        if !isPressed && state == .stuck { state = .fine }
    }

    /// Forgets everything, because the hardware has gone.
    package mutating func hardwareLost() { self = ContactHealth(stuckAfter: stuckAfter) }

    package mutating func advance(to now: Int64) {
        guard let deadline = nextDeadline, now >= deadline else { return }
        switch state {
        case .fine: state = .stuck
        case .noisy where pressedSince == nil: state = .fine
        // Stays muted until it is released; the next check is in 3 s.
        case .noisy where stuckAfter == nil: lastEdge = now
        case .noisy: state = .stuck
        case .stuck: break
        }
    }
}
