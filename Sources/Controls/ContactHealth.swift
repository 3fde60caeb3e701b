// SPDX-License-Identifier: GPL-3.0-or-later

/// Watches whether a button behaves as if a person pressed it. One that does not is muted until it does.
///
///             held for `stuckAfter`                 more edges or presses than a hand makes
///     stuck ◀──────────────────────── fine ───────────────────────────────────▶ noisy
///       └───────── released ──────────▶ ◀───────── no edge for 3 s ─────────────┘
///
/// Times are nanoseconds of `CLOCK_MONOTONIC`; it reads no clock itself.
package struct ContactHealth: Sendable {
    package enum State: Sendable {
        case fine
        /// Pressed for longer than anybody would.
        case stuck
        /// Its edges come from interference or from a loose contact.
        case noisy
    }

    /// In one second. A worn contact that bounces fifty times a press stays below, and so does a child
    /// that presses as fast as it can.
    package static let mostEdges = 400
    package static let mostPresses = 20
    /// In each of two seconds without a press between: mains hum makes 100 or 120, and never rests.
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
    /// Whether the second before this one was restless.
    private var isRestless = false

    /// - Parameter stuckAfter: `nil` never takes it for stuck.
    package init(stuckAfter: Int64?) {
        self.stuckAfter = stuckAfter
    }

    package var isMuted: Bool { state != .fine }

    /// When to call ``advance(to:)``.
    package var nextDeadline: Int64? {
        switch state {
        case .noisy: lastEdge + Self.quiet
        case .stuck: nil
        case .fine: pressedSince.flatMap { since in stuckAfter.map { since + $0 } }
        }
    }

    /// Every edge, whatever it means.
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
        // By the edge that makes it so: the first one after the noise may be a person's.
        let isRestlessAgain = isRestless && presses == 0 && edges > Self.mostRestlessEdges
        if edges > Self.mostEdges || isRestlessAgain { state = .noisy }
    }

    /// A press, also one that is not told.
    package mutating func countPress() {
        presses += 1
        if presses > Self.mostPresses { state = .noisy }
    }

    /// Whether the contact is pressed since `time` or earlier.
    package mutating func contact(isPressed: Bool, at time: Int64) {
        pressedSince = isPressed ? pressedSince ?? time : nil
        if !isPressed && state == .stuck { state = .fine }
    }

    /// The hardware has gone, and what was wrong with it.
    package mutating func hardwareLost() { self = ContactHealth(stuckAfter: stuckAfter) }

    package mutating func advance(to now: Int64) {
        guard let deadline = nextDeadline, now >= deadline else { return }
        switch state {
        case .fine: state = .stuck
        case .noisy where pressedSince == nil: state = .fine
        // Muted until it is let go.
        case .noisy where stuckAfter == nil: lastEdge = now
        case .noisy: state = .stuck
        case .stuck: break
        }
    }
}
