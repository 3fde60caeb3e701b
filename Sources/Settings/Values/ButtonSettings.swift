// SPDX-License-Identifier: GPL-3.0-or-later

/// A button's name in actions, status and `vitrine press`.
public typealias ButtonName = String

/// One button: a GPIO line, a key of an input device, or neither. One with neither is virtual,
/// pressed by `vitrine press NAME` and the host board's panel only.
public struct ButtonSettings: Sendable, Equatable {
    /// The pull resistor of a GPIO line.
    public enum Bias: String, Sendable, CaseIterable {
        /// Whatever the firmware left.
        case asIs = "as-is"
        /// To the supply.
        case pullUp = "pull-up"
        /// To ground.
        case pullDown = "pull-down"
        /// None.
        case disabled
    }

    /// The button's name, unlike every other button's.
    public var name: ButtonName
    /// The GPIO line; never together with `key`.
    public var line: GPIOLineName?
    /// The evdev key such as `KEY_ENTER`; never together with `line`.
    public var key: String?
    /// The name of the input device that has the key; nil is any. Only with `key`.
    public var device: String?
    /// Whether the line is low while the button is pressed.
    public var activeLow: Bool
    /// How long a line must be quiet before it counts.
    public var debounceMilliseconds: Int
    /// A single pulse that is shorter is no press.
    public var shortestPressMilliseconds: Int
    /// A button that is held for longer is stuck; 0 is never.
    public var stuckSeconds: Int
    /// The line's pull resistor.
    public var bias: Bias

    /// Whether nothing but commands can press it.
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
