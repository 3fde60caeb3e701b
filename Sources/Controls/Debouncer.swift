// SPDX-License-Identifier: GPL-3.0-or-later

/// A debouncer that finds a person's presses in the raw edges of one contact. Times are nanoseconds
/// of `CLOCK_MONOTONIC`; the type reads no clock itself.
///
///            active edge after quiet: touched      active for `shortest`, or again: pressed
///     idle ─────────────────────────────→ touched ─────────────────────────────────→ pressed
///      ↑                                     │                                          │
///      └──── one pulse only: rejected ───────┘       inactive, no edge for `debounce`   │
///      └──────────────────────────────────────────────────── released ──────────────────┘
///
/// A single pulse shorter than `shortest` is interference: no hand lets go so soon, and no contact
/// closes once without bouncing. Edges less than `debounce` apart belong to one gesture. The owner
/// calls ``settle(level:at:)`` at ``nextDeadline`` with the level read from the hardware, so that a
/// lost edge leaves no button stuck. A level that contradicts the edges counts when it is seen
/// twice.
public struct Debouncer: Sendable {
    /// The results of an edge or a deadline, in this order.
    public struct Outcome: Sendable, Equatable {
        /// A press ended at this time: its first inactive edge since the contact was last quiet.
        public var released: Int64?
        /// The touch of this time was no press.
        public var rejected: Int64?
        /// A touch, which may become a press, began with an active edge at this time: its shutter
        /// moment.
        public var touched: Int64?
        /// The touch of this time is a press.
        public var pressed: Int64?

        /// Creates an outcome, by default without results.
        public init(
            released: Int64? = nil, rejected: Int64? = nil, touched: Int64? = nil,
            pressed: Int64? = nil
        ) {
            self.released = released
            self.rejected = rejected
            self.touched = touched
            self.pressed = pressed
        }
    }

    /// Whether the contact is touched or pressed. A button that was held from the beginning counts
    /// as pressed, but that gesture gives no events.
    public private(set) var isPressed: Bool
    /// The number of edges that were neither a press nor a release.
    public private(set) var bounces = 0
    /// The time at which ``settle(level:at:)`` is due; `nil` while only an edge changes anything.
    public var nextDeadline: Int64? { [quietDeadline, confirmation].compactMap(\.self).min() }

    /// The time of the first edge that is not reported as press or release yet, because it may
    /// still prove to be something else; `nil` if there is none.
    public var undecidedSince: Int64? { [touched, closing].compactMap(\.self).min() }

    private let debounce: Int64
    private let shortest: Int64
    /// The time at which the contact counts as quiet or, while it is held, is checked again.
    private var quietDeadline: Int64?
    /// The time at which a touch becomes a press without another edge.
    private var confirmation: Int64?
    /// The first edge of a touch that is not a press yet.
    private(set) var touched: Int64?
    private var level: Bool
    private var lastEdge: Int64
    /// The first inactive edge since the last quiet: the release, if the contact stays inactive.
    private var closing: Int64?
    /// Whether the current gesture gives no events.
    private(set) var isSilent: Bool

    /// Whether the level was seen to differ from the last edge.
    private var isDoubtful = false

    /// The interval at which a held button is checked, in case its release was lost.
    private static let heldCheck: Int64 = 1_000_000_000
    /// A time longer than an edge takes from the interrupt to this program.
    private static let onItsWay: Int64 = 20_000_000

    /// Creates a debouncer whose contact is quiet at `level`.
    /// - Parameters:
    ///   - debounce: The time without an edge after which a contact is quiet, at least 1.
    ///   - shortest: The shortest duration of a press; 0 accepts every edge.
    public init(debounce: Int64, shortest: Int64 = 0, level: Bool, at now: Int64) {
        self.debounce = max(1, debounce)
        self.shortest = shortest
        self.level = level
        lastEdge = .min / 2  // Long ago.
        isPressed = level
        isSilent = level
        quietDeadline = level ? now + Self.heldCheck : nil
    }

    /// Handles one edge. Edges come in the kernel's order; one older than the last counts as part
    /// of the same gesture.
    public mutating func edge(_ active: Bool, at time: Int64) -> Outcome {
        let isQuiet = time - lastEdge >= debounce
        var outcome = isQuiet ? rest(at: time) : Outcome()
        // The kernel stamps an edge in the interrupt but reads its level in a thread (gpiolib-cdev,
        // edge_irq_thread). An inactive edge of an inactive, quiet contact was therefore an active
        // one whose level was gone by then. Its time is right, and the next edge is the release.
        let active = active || isQuiet && !isPressed
        note(active, at: time)
        if active && !isPressed && isQuiet {
            touch(at: time, &outcome)
        } else if !active && isPressed && closing == nil {
            closing = time
            if let touched, time - touched >= shortest { confirm(&outcome) }
            confirmation = nil
        } else {
            bounces += 1
            if active { confirm(&outcome) }
        }
        return outcome
    }

    /// Handles the level read from the hardware. Does nothing before ``nextDeadline``, which an
    /// edge may have moved meanwhile.
    public mutating func settle(level active: Bool, at time: Int64) -> Outcome {
        guard let nextDeadline, time >= nextDeadline else { return Outcome() }
        var outcome = Outcome()
        if let confirmation, time >= confirmation {
            // If the level is inactive, its edge is still on its way and decides.
            if active { confirm(&outcome) }
            self.confirmation = nil
        }
        guard let quietDeadline, time >= quietDeadline else { return outcome }
        if active == level {
            isDoubtful = false
            let resting = rest(at: time)
            outcome.released = resting.released
            outcome.rejected = resting.rejected
            outcome.touched = resting.touched
            outcome.pressed = outcome.pressed ?? resting.pressed
            self.quietDeadline = isPressed ? time + Self.heldCheck : nil
            return outcome
        }
        // The edge may still be on its way from the interrupt: check once more before giving it up.
        guard isDoubtful else {
            isDoubtful = true
            self.quietDeadline = time + max(debounce, Self.onItsWay)
            return outcome
        }
        // An edge was lost at an unknown time. Within a gesture it counts as part of that, so that
        // one gesture never gives two presses; and it counts as a person's.
        note(active, at: time)
        if active {
            guard !isPressed else { return outcome }
            touch(at: time, &outcome)
            confirm(&outcome)
            return outcome
        }
        confirm(&outcome)
        closing = closing ?? time
        return outcome
    }

    private mutating func touch(at time: Int64, _ outcome: inout Outcome) {
        isPressed = true
        outcome.touched = time
        touched = time
        confirmation = time + shortest
        if shortest <= 0 { confirm(&outcome) }
    }

    /// Reports the touch as a press.
    private mutating func confirm(_ outcome: inout Outcome) {
        confirmation = nil
        guard let moment = touched.take() else { return }
        outcome.pressed = moment
    }

    private mutating func note(_ active: Bool, at time: Int64) {
        level = active
        isDoubtful = false
        lastEdge = max(lastEdge, time)
        quietDeadline = lastEdge + debounce
    }

    /// Notes that the contact has been quiet for `debounce` at the level of its last edge.
    private mutating func rest(at time: Int64) -> Outcome {
        defer { closing = nil }
        var outcome = Outcome()
        switch (isPressed, level) {
        case (true, false):
            isPressed = false
            confirmation = nil
            if let touched = touched.take() {
                bounces += 1
                outcome.rejected = touched
            } else if !isSilent {
                outcome.released = closing ?? lastEdge
            }
            isSilent = false
        case (true, true):
            if closing != nil { bounces += 1 }
            if confirmation.map({ time >= $0 }) ?? true { confirm(&outcome) }
        case (false, true):
            // The edge came late, after its gesture was over: it begins a new one.
            touch(at: lastEdge, &outcome)
            confirm(&outcome)
        case (false, false): break
        }
        return outcome
    }
}
