// SPDX-License-Identifier: GPL-3.0-or-later

/// Tells what a person did to one button from the raw edges of its contact. Times are nanoseconds of
/// `CLOCK_MONOTONIC`; it reads no clock itself.
///
///            active edge after quiet: press, at once
///     idle ────────────────────────────────────────────→ pressed
///      ↑                                                    │
///      └────────────────────────────────────────────────────┘
///            inactive, and no edge for `debounce`: release
///
/// Edges less than `debounce` apart belong to one gesture. The owner calls ``settle(level:at:)`` when
/// ``nextDeadline`` has come, with the level as read from the hardware: so an edge that the kernel
/// lost leaves no button stuck. A level is believed against the edges when it is seen twice.
public struct Debouncer: Sendable {
    /// What an edge or a deadline brought to light; a release comes before a press.
    public struct Outcome: Sendable, Equatable {
        /// A gesture has ended: its first inactive edge since the contact was last quiet.
        public var released: Int64?
        /// A gesture has begun: its first active edge, the shutter moment.
        public var pressed: Int64?

        public init(released: Int64? = nil, pressed: Int64? = nil) {
            self.released = released
            self.pressed = pressed
        }
    }

    /// Whether a gesture is on. True from the beginning when the button was held then; that gesture
    /// gives no events.
    public private(set) var isPressed: Bool
    /// Edges that were neither a press nor a release.
    public private(set) var bounces = 0
    /// When ``settle(level:at:)`` is due; `nil` while nothing can change without an edge.
    public private(set) var nextDeadline: Int64?

    private let debounce: Int64
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
    ///   - level: Whether the contact is active now.
    ///   - now: The present time; the contact counts as quiet.
    public init(debounce: Int64, level: Bool, at now: Int64) {
        self.debounce = max(1, debounce)
        self.level = level
        lastEdge = .min / 2  // Long ago.
        isPressed = level
        isSilent = level
        nextDeadline = level ? now + Self.heldCheck : nil
    }

    /// Takes one edge, in the order in which the kernel reported them. A timestamp that lies before an
    /// earlier one counts as within the same gesture.
    public mutating func edge(_ active: Bool, at time: Int64) -> Outcome {
        let isQuiet = time - lastEdge >= debounce
        var outcome = isQuiet ? rest() : Outcome()
        // The kernel stamps an edge in the interrupt but reads its level in a thread (gpiolib-cdev,
        // edge_irq_thread): an inactive edge of a contact that is inactive and quiet was an active
        // one whose level was gone by then. Its time is right; its successor is the release.
        let active = active || isQuiet && !isPressed
        note(active, at: time)
        if active && !isPressed && isQuiet {
            isPressed = true
            outcome.pressed = time
        } else if !active && isPressed && closing == nil {
            closing = time
        } else {
            bounces += 1
        }
        return outcome
    }

    /// Takes the level as read from the hardware. Does nothing before ``nextDeadline``: an edge may
    /// have come since it was asked for.
    public mutating func settle(level active: Bool, at time: Int64) -> Outcome {
        guard let nextDeadline, time >= nextDeadline else { return Outcome() }
        if active == level {
            isDoubtful = false
            let outcome = rest()
            self.nextDeadline = isPressed ? time + Self.heldCheck : nil
            return outcome
        }
        // The edge may still be on its way from the interrupt: look once more before it is given up.
        guard isDoubtful else {
            isDoubtful = true
            self.nextDeadline = time + max(debounce, Self.onItsWay)
            return Outcome()
        }
        // An edge was lost, nobody knows when: within a gesture it is taken as part of it, so that one
        // gesture never gives two presses.
        note(active, at: time)
        if active {
            guard !isPressed else { return Outcome() }
            isPressed = true
            return Outcome(pressed: time)
        }
        closing = closing ?? time
        return Outcome()
    }

    private mutating func note(_ active: Bool, at time: Int64) {
        level = active
        isDoubtful = false
        lastEdge = max(lastEdge, time)
        nextDeadline = lastEdge + debounce
    }

    /// The contact has been quiet for `debounce` at the level of its last edge.
    private mutating func rest() -> Outcome {
        defer { closing = nil }
        switch (isPressed, level) {
        case (true, false):
            isPressed = false
            defer { isSilent = false }
            return Outcome(released: isSilent ? nil : closing ?? lastEdge)
        case (true, true):
            if closing != nil { bounces += 1 }
            return Outcome()
        case (false, true):
            // Its edge came late, for a gesture that was already over: it is a new one.
            isPressed = true
            return Outcome(pressed: lastEdge)
        case (false, false):
            return Outcome()
        }
    }
}
