// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A gesture on a button, named as in the configuration.
public enum Gesture: String, Sendable, CaseIterable {
    /// One press; for a chord, a press of all its buttons at once.
    case press
    /// Two presses, the second soon after the first.
    case doublePress = "double_press"
    /// A press that is held for a while; recognised while it is still held.
    case longPress = "long_press"
    /// A long press whose effect ends with the release.
    case hold
}

/// A gesture that was recognised or has ended.
public struct GestureEvent: Sendable, Equatable {
    /// The phase of a gesture.
    public enum Phase: Sendable {
        /// The gesture was recognised.
        case began
        /// The button of a ``Gesture/hold`` was released. Other gestures have no end.
        case ended
    }
    /// The name of the button, or of the chord in ``GestureRepertoire/chords``.
    public var name: String
    /// The gesture; for a chord always ``Gesture/press``.
    public var gesture: Gesture
    /// Whether the gesture has begun or ended.
    public var phase: Phase
    /// The presses in their order, at least one; those of an ended gesture have no reservations.
    public var presses: [ControlEvent]
    /// The number, unique for its board, of the command that made the gesture; `nil` for a person.
    public var command: Int?

    /// Creates an event; nothing is checked.
    public init(
        name: String, gesture: Gesture, phase: Phase = .began, presses: [ControlEvent],
        command: Int? = nil
    ) {
        self.name = name
        self.gesture = gesture
        self.phase = phase
        self.presses = presses
        self.command = command
    }

    /// The shutter moment: the first edge of the first press, in nanoseconds of `CLOCK_MONOTONIC`.
    public var moment: Int64 { presses[0].timestamp }
}

/// The gestures that have a meaning, and their times in nanoseconds. Others are not waited for: a
/// button with only ``Gesture/press`` reports it at once.
public struct GestureRepertoire: Sendable, Equatable {
    /// The gestures of each button: a long press or a hold, not both. ``Gesture/press`` is implied.
    public var gestures: [String: Set<Gesture>]
    /// The buttons of each chord, by the chord's name. No chord contains all buttons of another.
    public var chords: [String: Set<String>]
    /// The longest time from the first edge of the first press to that of the second.
    public var doublePress: Int64
    /// The time after which a held press is long.
    public var longPress: Int64
    /// The longest time from the first edge of a chord's first button to that of its last.
    public var chord: Int64

    /// Creates a repertoire; nothing is checked. The defaults are single presses and 400, 800 and
    /// 100 ms.
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

    /// The longest time from a press to the recognition of its gesture.
    public var longestWait: Int64 { max(doublePress, longPress, chord) }

    func has(_ gesture: Gesture, _ button: String) -> Bool {
        gestures[button]?.contains(gesture) ?? false
    }

    func isInChord(_ button: String) -> Bool { chords.values.contains { $0.contains(button) } }
}
