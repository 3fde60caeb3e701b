// SPDX-License-Identifier: GPL-3.0-or-later

public import GPIO

/// One button's configuration. The hardware may be missing.
public struct ButtonConfiguration: Sendable, Equatable {
    /// The source of the button's edges.
    public enum Source: Sendable, Equatable {
        /// A GPIO line: the chip's label, name or device file, and the line's name or number.
        case line(chip: String, line: String)
        /// A key by its kernel name, such as `KEY_ENTER`, on every input device that has it, or
        /// only on those with this name, serial number, physical path or device file. The devices
        /// are grabbed.
        case key(name: String, device: String?)
        /// No hardware; only ``ButtonBoard/press(name:gesture:)`` presses the button.
        case virtual
    }

    /// The name, unique among all buttons.
    public var name: String
    /// The hardware that presses the button, besides ``ButtonBoard/press(name:gesture:)``.
    public var source: Source
    /// Whether the button is pressed while its line is low. For lines only.
    public var activeLow: Bool
    /// The pull resistor of the line. For lines only.
    public var bias: LineBias
    /// The time without an edge after which the contact is quiet.
    public var debounceMilliseconds: Int
    /// The shortest single pulse that is not interference. For lines only: a key's device filters
    /// its own.
    public var shortestPressMilliseconds: Int
    /// The longest time for which the button may be held before it counts as stuck, 0 for no limit.
    public var stuckSeconds: Int

    /// Creates a configuration, by default of a push button between line and ground; nothing is
    /// checked here.
    public init(
        name: String, source: Source, activeLow: Bool = true, bias: LineBias = .pullUp,
        debounceMilliseconds: Int = 20, shortestPressMilliseconds: Int = 3,
        stuckSeconds: Int = 60
    ) {
        self.name = name
        self.source = source
        self.activeLow = activeLow
        self.bias = bias
        self.debounceMilliseconds = debounceMilliseconds
        self.shortestPressMilliseconds = shortestPressMilliseconds
        self.stuckSeconds = stuckSeconds
    }

    /// The shortest press in nanoseconds; 0 for keys.
    var shortestPress: Int64 {
        if case .line = source { Int64(shortestPressMilliseconds) * 1_000_000 } else { 0 }
    }
}

/// The condition of a button.
public struct ButtonStatistics: Sendable, Equatable {
    /// The button's state, as `state` in `vitrine status`.
    public enum State: String, Sendable {
        /// The button can be pressed.
        case ready
        /// The button is being pressed.
        case pressed
        /// The button's line, chip or device is missing or not ours.
        case missing
        /// The button has been held too long for a person. It is muted until it is released.
        case stuck
        /// The button gave more edges or presses than a hand makes. It is muted until it has been
        /// quiet for three seconds.
        case noisy
    }

    /// The button's name in the configuration.
    public var name: String
    /// The presses since the start, including those by ``ButtonBoard/press(name:gesture:)``.
    public var presses: Int
    /// The edges that were neither a press nor a release: a worn contact or noise.
    public var bounces: Int
    /// The present state.
    public var state: State
    /// The reason why the button is missing, stuck or noisy, and what to do; empty otherwise.
    public var problem: String
}

/// The reason why a button could not be made or pressed.
public struct ControlsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: Sendable {
        /// Two buttons have the same name.
        case duplicateName
        /// The kernel has no key of that name.
        case unknownKey
        /// No button has that name.
        case unknownButton
        /// The board has not been started, or has been stopped.
        case notRunning
    }
    /// The kind, for programs.
    public let code: Code
    /// The text for people, with the names that would have been right.
    public let message: String
    /// The message.
    public var description: String { message }
}
