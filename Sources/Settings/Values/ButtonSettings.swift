// SPDX-License-Identifier: GPL-3.0-or-later

/// A button's name in actions, status and `vitrine press`.
public typealias ButtonName = String

/// A button: a GPIO line, a key of an input device, or neither. A button with neither is virtual:
/// only `vitrine press NAME` and the host board's panel press it.
public struct ButtonSettings: Sendable, Equatable {
    /// The pull resistor of a GPIO line.
    public enum Bias: String, Sendable, CaseIterable {
        /// The setting that the firmware left.
        case asIs = "as-is"
        case pullUp = "pull-up"
        case pullDown = "pull-down"
        case disabled
    }

    /// The button's name, unique among the buttons.
    public var name: ButtonName = "shutter"
    /// The GPIO line; nil if `key` is set.
    public var line: GPIOLineName?
    /// The evdev key, such as `KEY_ENTER`; nil if `line` is set.
    public var key: String?
    /// The name of the input device that has the key; nil for any. It is used only with `key`.
    public var device: String?
    /// Whether the line is low while the button is pressed.
    public var activeLow = true
    /// How long a contact must be without edges to count as quiet.
    public var debounceMilliseconds = 20
    /// The shortest press; a shorter single pulse is interference. 0 accepts every edge.
    public var shortestPressMilliseconds = 3
    /// How long a button may be held before it counts as stuck; 0 for ever.
    public var stuckSeconds = 60
    /// The line's pull resistor.
    public var bias = Bias.pullUp

    /// Whether only commands and the panel can press the button.
    public var isVirtual: Bool { line == nil && key == nil }

    /// The defaults.
    public init() {}
}

extension ButtonSettings: TableSettings {
    static let table = SettingsTable(
        "button", isList: true,
        """
        A button: a GPIO line, a key of a keyboard, or neither. A button with neither is virtual: \
        only `vitrine press NAME` presses it.
        """)
    static let fields: [SettingsField<Self>] = [
        .key(
            "name", \.name, .text(.name),
            "The button's name in `[actions]`, status and `vitrine press NAME`."),
        .key(
            "line", \.line, .line,
            "The GPIO line: the chip's label or name, a colon, and the line's name or number."),
        .key(
            "key", \.key, .text(.eventKey),
            """
            The key, by its name in linux/input-event-codes.h. Many kiosk buttons are USB \
            keyboards.
            """),
        .key(
            "device", \.device, .text(.line),
            "The name of the input device that has the key; empty for any. Only with `key`."),
        .key(
            "active_low", \.activeLow, .boolean,
            "Whether the line is low while the button is pressed, as with a button to ground."),
        .key(
            "debounce_ms", \.debounceMilliseconds, .integer(in: 1...1000, unit: "ms"),
            "How long the line must be quiet before its state counts."),
        .key(
            "min_press_ms", \.shortestPressMilliseconds, .integer(in: 0...100, unit: "ms"),
            """
            The shortest press. A shorter single pulse is ignored as interference; 0 accepts every \
            edge.
            """),
        .key(
            "stuck_s", \.stuckSeconds, .integer(in: 0...3600, unit: "s"),
            """
            A button that is held longer is reported as stuck, and ignored until it is released; 0 \
            for never.
            """),
        .key("bias", \.bias, .choice, "The pull resistor of the line inside the chip."),
    ]
}
