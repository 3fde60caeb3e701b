// SPDX-License-Identifier: GPL-3.0-or-later

/// What a person does with a button, in the words of the configuration.
public enum Gesture: String, Sendable, CaseIterable {
    /// One press. Of a chord: all its buttons at once.
    case press
    /// Two presses, the second soon after the first.
    case doublePress = "double_press"
    /// A press that is held for a while; recognised while it is still held.
    case longPress = "long_press"
    /// The same with an end: what it starts ends with the release.
    case hold
}

/// A gesture that was recognised, or one that has ended.
public struct GestureEvent: Sendable, Equatable {
    /// Where the gesture is.
    public enum Phase: Sendable {
        /// It was recognised.
        case began
        /// The button of a ``Gesture/hold`` was let go; other gestures have no end.
        case ended
    }
    /// The button, or the chord by its name in ``GestureRepertoire/chords``.
    public var name: String
    /// What was done; of a chord always ``Gesture/press``.
    public var gesture: Gesture
    /// Whether it has begun or ended.
    public var phase: Phase
    /// The shutter moment: the first edge of its first press, nanoseconds of `CLOCK_MONOTONIC`.
    public var moment: Int64
    /// The first edges of all presses that it is made of, in their order.
    public var presses: [Int64]

    /// `presses` has to begin with `moment`, and is only that unless told; nothing is checked.
    public init(
        name: String, gesture: Gesture, phase: Phase = .began, moment: Int64,
        presses: [Int64]? = nil
    ) {
        self.name = name
        self.gesture = gesture
        self.phase = phase
        self.moment = moment
        self.presses = presses ?? [moment]
    }
}

/// Which gestures mean something, and their times in nanoseconds. What means nothing is not waited for:
/// a button with nothing but ``Gesture/press`` presses at once.
public struct GestureRepertoire: Sendable, Equatable {
    /// By button. ``Gesture/press`` need not be named. A button has a long press or a hold, not both.
    public var gestures: [String: Set<Gesture>]
    /// The buttons of each chord, by the chord's name; none holds all buttons of another.
    public var chords: [String: Set<String>]
    /// From the first press's first edge to the second's.
    public var doublePress: Int64
    /// How long a press is held before it is long.
    public var longPress: Int64
    /// From the first edge of a chord's first button to that of its last.
    public var chord: Int64

    /// Only single presses, 400, 800 and 100 ms, unless told otherwise; nothing is checked.
    public init(
        gestures: [String: Set<Gesture>] = [:], chords: [String: Set<String>] = [:],
        doublePress: Int64 = 400_000_000, longPress: Int64 = 800_000_000,
        chord: Int64 = 100_000_000
    ) {
        self.gestures = gestures
        self.chords = chords
        self.doublePress = doublePress
        self.longPress = longPress
        self.chord = chord
    }

    /// The longest time from a press to what it turns out to be.
    public var longestWait: Int64 { max(doublePress, longPress, chord) }

    func has(_ gesture: Gesture, _ button: String) -> Bool {
        gestures[button]?.contains(gesture) ?? false
    }

    func isInChord(_ button: String) -> Bool { chords.values.contains { $0.contains(button) } }
}
