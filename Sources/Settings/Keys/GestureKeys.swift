// SPDX-License-Identifier: GPL-3.0-or-later

enum GestureKeys {
    static let table = SettingsTable(
        name: "gesture", isList: false,
        help:
            "How gestures are distinguished. A button waits only for gestures that `[actions]` "
            + "gives it.")
    static let doublePress = TypedKey.integer(
        table, "double_press_ms", default: 400, in: 100...2000, unit: "ms",
        help: "The longest time from one press to the second of a double press.")
    static let longPress = TypedKey.integer(
        table, "long_press_ms", default: 800, in: 200...10000, unit: "ms",
        help: "How long a button is held until a long press or hold counts.")
    static let chord = TypedKey.integer(
        table, "chord_ms", default: 100, in: 20...1000, unit: "ms",
        help: "The longest time from a chord's first button to its last.")
    static let all = [doublePress.key, longPress.key, chord.key]
}
