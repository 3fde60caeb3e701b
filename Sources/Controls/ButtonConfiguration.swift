// SPDX-License-Identifier: GPL-3.0-or-later

public import GPIO

/// One button as it is wished for; whether its hardware is there is another matter.
public struct ButtonConfiguration: Sendable, Equatable {
    /// Where its edges come from.
    public enum Source: Sendable, Equatable {
        /// A GPIO line: the chip's label, name or device file, and the line's name or number.
        case line(chip: String, line: String)
        /// A key by its kernel name, such as `KEY_ENTER`, on every input device that has it, or only
        /// on those with this name, serial, physical path or device file. The devices are grabbed.
        case key(name: String, device: String?)
        /// Nothing but ``ButtonBoard/press(name:)``.
        case virtual
    }

    /// Unlike every other button's.
    public var name: String
    /// The hardware that presses it, besides ``ButtonBoard/press(name:)``.
    public var source: Source
    /// Lines only: whether the button is pressed while its line is low.
    public var activeLow: Bool
    /// Lines only.
    public var bias: LineBias
    /// How long a contact must be without an edge to be quiet.
    public var debounceMilliseconds: Int
    /// Lines only: a single pulse that is shorter is interference. A key's device knows its own.
    public var shortestPressMilliseconds: Int
    /// A button that is held for longer is stuck; 0 never takes it for that.
    public var stuckSeconds: Int

    /// A push button between line and ground, unless told otherwise; nothing is checked here.
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

    /// Nanoseconds.
    var shortestPress: Int64 {
        if case .line = source { Int64(shortestPressMilliseconds) * 1_000_000 } else { 0 }
    }
}

/// How a button is doing.
public struct ButtonStatistics: Sendable, Equatable {
    /// As the key `state` of `vitrine status`.
    public enum State: String, Sendable {
        /// It can be pressed.
        case ready
        /// A gesture is on.
        case pressed
        /// Its line, chip or device is not there or not ours.
        case missing
        /// It has been held for so long that nobody can mean it: muted until it is let go.
        case stuck
        /// More edges or presses than a hand makes: muted until it has been quiet for three seconds.
        case noisy
    }

    /// The button's name in the configuration.
    public var name: String
    /// Presses since the start, those by ``ButtonBoard/press(name:)`` included.
    public var presses: Int
    /// Edges that were neither a press nor a release: a worn contact or noise.
    public var bounces: Int
    /// Whether its hardware is there and what it does.
    public var state: State
    /// Why it is missing, stuck or noisy and what to do; empty otherwise.
    public var problem: String
}

/// Why a button could not be made or pressed.
public struct ControlsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was wrong.
    public enum Code: Sendable {
        /// Two buttons bear one name.
        case duplicateName
        /// The kernel has no key of that name.
        case unknownKey
        /// No button bears that name.
        case unknownButton
        /// The board has not been started, or has been stopped.
        case notRunning
    }
    /// For programs.
    public let code: Code
    /// For a person, with the names that would have been right.
    public let message: String
    /// The message.
    public var description: String { message }
}
