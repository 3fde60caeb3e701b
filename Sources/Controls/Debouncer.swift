// SPDX-License-Identifier: GPL-3.0-or-later

/// Tells what a person did to one button from the raw edges of its contact. Times are nanoseconds of
/// `CLOCK_MONOTONIC`; it reads no clock itself.
///
///            active edge after quiet: touched      active for `shortest`, or again: pressed
///     idle ─────────────────────────────→ touched ─────────────────────────────────→ pressed
///      ↑                                     │                                          │
///      └──── one pulse only: rejected ───────┘       inactive, no edge for `debounce`   │
///      └──────────────────────────────────────────────────── released ──────────────────┘
///
/// A single pulse that is shorter than `shortest` is interference: no hand lets go so soon, and no
/// contact closes once and bounces never. Edges less than `debounce` apart belong to one gesture. The owner calls ``settle(level:at:)`` when
/// ``nextDeadline`` has come, with the level as read from the hardware: so an edge that the kernel
/// lost leaves no button stuck. A level is believed against the edges when it is seen twice.
public struct Debouncer: Sendable {
    /// What an edge or a deadline brought to light, in this order.
    public struct Outcome: Sendable, Equatable {
        /// A press has ended: its first inactive edge since the contact was last quiet.
        public var released: Int64?
        /// What was touched at this time was no press.
        public var rejected: Int64?
        /// The first active edge of what may be a press: its shutter moment.
        public var touched: Int64?
        /// What was touched at this time is a press.
        public var pressed: Int64?

        /// Nothing has happened, but for what is told.
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

    /// Whether the contact is touched or pressed. True from the beginning when the button was held then; that gesture
    /// gives no events.
    public private(set) var isPressed: Bool
    /// Edges that were neither a press nor a release.
    public private(set) var bounces = 0
    /// When ``settle(level:at:)`` is due; `nil` while nothing can change without an edge.
    public var nextDeadline: Int64? { [quietDeadline, confirmation].compactMap(\.self).min() }

    /// What has happened and is not told yet, because it may still prove to be something else: since when.
    public var undecidedSince: Int64? { [touched, closing].compactMap(\.self).min() }

    private let debounce: Int64
    private let shortest: Int64
    /// When the contact counts as quiet, or is looked at because it is held.
    private var quietDeadline: Int64?
    /// When what is touched becomes a press without another edge.
    private var confirmation: Int64?
    /// The first edge of what is touched and not yet a press.
    private(set) var touched: Int64?
    private var level: Bool
    private var lastEdge: Int64
    /// The first inactive edge since the contact was last quiet: the release, if it stays inactive.
    private var closing: Int64?
    /// Whether the gesture that is on gives no events.
    private(set) var isSilent: Bool

    /// Whether the level has been seen to differ from the last edge.
    private var isDoubtful = false

    /// How often a button that is held is looked at, in case its release was lost.
    private static let heldCheck: Int64 = 1_000_000_000
    /// Longer than an edge takes from the interrupt to here.
    private static let onItsWay: Int64 = 20_000_000

    /// - Parameters:
    ///   - debounce: How long a contact must be without an edge to be quiet, at least 1.
    ///   - shortest: How long a press lasts at least; 0 takes every edge for one.
    ///   - level: Whether the contact is active now.
    ///   - now: The present time; the contact counts as quiet.
    public init(debounce: Int64, shortest: Int64 = 0, level: Bool, at now: Int64) {
        self.debounce = max(1, debounce)
        self.shortest = shortest
        self.level = level
        lastEdge = .min / 2  // Long ago.
        isPressed = level
        isSilent = level
        quietDeadline = level ? now + Self.heldCheck : nil
    }

    /// Takes one edge, in the order in which the kernel reported them. A timestamp that lies before an
    /// earlier one counts as within the same gesture.
    public mutating func edge(_ active: Bool, at time: Int64) -> Outcome {
        let isQuiet = time - lastEdge >= debounce
        var outcome = isQuiet ? rest(at: time) : Outcome()
        // The kernel stamps an edge in the interrupt but reads its level in a thread (gpiolib-cdev,
        // edge_irq_thread): an inactive edge of a contact that is inactive and quiet was an active
        // one whose level was gone by then. Its time is right; its successor is the release.
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

    /// Takes the level as read from the hardware. Does nothing before ``nextDeadline``: an edge may
    /// have come since it was asked for.
    public mutating func settle(level active: Bool, at time: Int64) -> Outcome {
        guard let nextDeadline, time >= nextDeadline else { return Outcome() }
        var outcome = Outcome()
        if let confirmation, time >= confirmation {
            // An inactive level is one whose edge is on its way: that decides.
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
        // The edge may still be on its way from the interrupt: look once more before it is given up.
        guard isDoubtful else {
            isDoubtful = true
            self.quietDeadline = time + max(debounce, Self.onItsWay)
            return outcome
        }
        // An edge was lost, nobody knows when: within a gesture it is taken as part of it, so that one
        // gesture never gives two presses; and it is taken for a person's.
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

    /// What is touched is a press.
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

    /// The contact has been quiet for `debounce` at the level of its last edge.
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
            // Its edge came late, for a gesture that was already over: it is a new one.
            touch(at: lastEdge, &outcome)
            confirm(&outcome)
        case (false, false): break
        }
        return outcome
    }
}
