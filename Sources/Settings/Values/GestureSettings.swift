// SPDX-License-Identifier: GPL-3.0-or-later

/// The timing of gestures. A button waits only for gestures that have an action.
public struct GestureSettings: Sendable, Equatable {
    /// The longest time between the two presses of a double press.
    public var doublePressMilliseconds = 400
    /// How long a press must be held to be a long press or hold.
    public var longPressMilliseconds = 800
    /// The longest time between the first and the last press of a chord.
    public var chordMilliseconds = 100

    /// The defaults.
    public init() {}
}

extension GestureSettings: TableSettings {
    static let table = SettingsTable(
        "gesture",
        """
        How gestures are distinguished. A button waits only for gestures that `[actions]` gives \
        it.
        """)
    static let fields: [SettingsField<Self>] = [
        .key(
            "double_press_ms", \.doublePressMilliseconds, .integer(in: 100...2000, unit: "ms"),
            "The longest time from one press to the second of a double press."),
        .key(
            "long_press_ms", \.longPressMilliseconds, .integer(in: 200...10000, unit: "ms"),
            "How long a button is held until a long press or hold counts."),
        .key(
            "chord_ms", \.chordMilliseconds, .integer(in: 20...1000, unit: "ms"),
            "The longest time from a chord's first button to its last."),
    ]
}
