// SPDX-License-Identifier: GPL-3.0-or-later

enum ButtonKeys {
    static let table = SettingsTable(
        name: "button", isList: true,
        help: "A button: a GPIO line, a key of a keyboard, or neither. One with neither is "
            + "virtual, pressed by `vitrine press NAME` only.")
    static let name = TypedKey.text(
        table, "name", default: "shutter", .name,
        help: "The button's name in `[actions]`, status and `vitrine press NAME`.")
    static let line = TypedKey.text(
        table, "line", default: "", .gpioLine,
        help: "The GPIO line: the chip's label or name, a colon, the line's name or number."
    ).map(GPIOLineName.init, back: { $0?.description ?? "" })
    static let key = TypedKey.text(
        table, "key", default: "", .eventKey,
        help:
            "The key, by its name in linux/input-event-codes.h; many kiosk buttons are USB keyboards."
    ).optional(none: "")
    static let device = TypedKey.text(
        table, "device", default: "", .line,
        help: "The input device that has the key, by name; empty is any. Only with `key`."
    ).optional(none: "")
    static let activeLow = TypedKey.boolean(
        table, "active_low", default: true,
        help: "The line is low while the button is pressed, as with a button to ground.")
    static let debounce = TypedKey.integer(
        table, "debounce_ms", default: 20, in: 1...1000, unit: "ms",
        help: "How long a line must be quiet before it counts.")
    static let shortestPress = TypedKey.integer(
        table, "min_press_ms", default: 3, in: 0...100, unit: "ms",
        help: "A single pulse that is shorter is interference and no press; 0 takes every edge.")
    static let stuck = TypedKey.integer(
        table, "stuck_s", default: 60, in: 0...3600, unit: "s",
        help: "A button that is held for longer is reported as stuck and does nothing until it is "
            + "let go; 0 never does that.")
    static let bias = TypedKey<ButtonSettings.Bias>.choice(
        table, "bias", default: .pullUp, help: "The line's pull resistor inside the chip.")
    static let all = [
        name.key, line.key, key.key, device.key, activeLow.key, debounce.key,
        shortestPress.key, stuck.key, bias.key,
    ]
}
