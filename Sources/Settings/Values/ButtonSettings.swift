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
        /// To the supply voltage.
        case pullUp = "pull-up"
        /// To ground.
        case pullDown = "pull-down"
        /// No pull resistor.
        case disabled
    }

    /// The button's name, unique among the buttons.
    public var name: ButtonName
    /// The GPIO line; nil if `key` is set.
    public var line: GPIOLineName?
    /// The evdev key, such as `KEY_ENTER`; nil if `line` is set.
    public var key: String?
    /// The name of the input device that has the key; nil for any. It is used only with `key`.
    public var device: String?
    /// Whether the line is low while the button is pressed.
    public var activeLow: Bool
    /// How long a contact must be without edges to count as quiet.
    public var debounceMilliseconds: Int
    /// The shortest press; a shorter single pulse is interference. 0 accepts every edge.
    public var shortestPressMilliseconds: Int
    /// How long a button may be held before it counts as stuck; 0 for ever.
    public var stuckSeconds: Int
    /// The line's pull resistor.
    public var bias: Bias

    /// Whether only commands and the panel can press the button.
    public var isVirtual: Bool { line == nil && key == nil }

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, ButtonKeys.table)
        name = decoder.value(ButtonKeys.name, in: table)
        line = decoder.value(ButtonKeys.line, in: table)
        key = decoder.value(ButtonKeys.key, in: table)
        device = decoder.value(ButtonKeys.device, in: table)
        activeLow = decoder.value(ButtonKeys.activeLow, in: table)
        debounceMilliseconds = decoder.value(ButtonKeys.debounce, in: table)
        shortestPressMilliseconds = decoder.value(ButtonKeys.shortestPress, in: table)
        stuckSeconds = decoder.value(ButtonKeys.stuck, in: table)
        bias = decoder.value(ButtonKeys.bias, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(ButtonKeys.table)
        writer.write(ButtonKeys.name, name)
        writer.write(ButtonKeys.line, line)
        writer.write(ButtonKeys.key, key)
        writer.write(ButtonKeys.device, device)
        writer.write(ButtonKeys.activeLow, activeLow)
        writer.write(ButtonKeys.debounce, debounceMilliseconds)
        writer.write(ButtonKeys.shortestPress, shortestPressMilliseconds)
        writer.write(ButtonKeys.stuck, stuckSeconds)
        writer.write(ButtonKeys.bias, bias)
    }
}
