// SPDX-License-Identifier: GPL-3.0-or-later

enum ButtonKeys {
    static let table = SettingsTable(
        name: "button", isList: true,
        help:
            "A button: a GPIO line, a key of a keyboard, or neither. A button with neither is "
            + "virtual: only `vitrine press NAME` presses it.")
    static let name = TypedKey.text(
        table, "name", default: "shutter", .name,
        help: "The button's name in `[actions]`, status and `vitrine press NAME`.")
    static let line = TypedKey.text(
        table, "line", default: "", .gpioLine,
        help: "The GPIO line: the chip's label or name, a colon, and the line's name or number."
    ).map(GPIOLineName.init, back: { $0?.description ?? "" })
    static let key = TypedKey.text(
        table, "key", default: "", .eventKey,
        help:
            "The key, by its name in linux/input-event-codes.h. Many kiosk buttons are USB "
            + "keyboards."
    ).optional(none: "")
    static let device = TypedKey.text(
        table, "device", default: "", .line,
        help: "The name of the input device that has the key; empty for any. Only with `key`."
    ).optional(none: "")
    static let activeLow = TypedKey.boolean(
        table, "active_low", default: true,
        help: "Whether the line is low while the button is pressed, as with a button to ground.")
    static let debounce = TypedKey.integer(
        table, "debounce_ms", default: 20, in: 1...1000, unit: "ms",
        help: "How long the line must be quiet before its state counts.")
    static let shortestPress = TypedKey.integer(
        table, "min_press_ms", default: 3, in: 0...100, unit: "ms",
        help:
            "The shortest press. A shorter single pulse is ignored as interference; 0 accepts "
            + "every edge.")
    static let stuck = TypedKey.integer(
        table, "stuck_s", default: 60, in: 0...3600, unit: "s",
        help:
            "A button that is held longer is reported as stuck, and ignored until it is released; "
            + "0 for never.")
    static let bias = TypedKey<ButtonSettings.Bias>.choice(
        table, "bias", default: .pullUp, help: "The pull resistor of the line inside the chip.")
    static let all = [
        name.key, line.key, key.key, device.key, activeLow.key, debounce.key,
        shortestPress.key, stuck.key, bias.key,
    ]
}
