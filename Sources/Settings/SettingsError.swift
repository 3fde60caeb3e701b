// SPDX-License-Identifier: GPL-3.0-or-later

/// Everything that is wrong with a configuration, in the order of the file.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// At least one problem, sorted by line and column.
    public let problems: [SettingsProblem]

    /// An error that carries `problems`.
    public init(problems: [SettingsProblem]) {
        self.problems = problems
    }

    /// One line per problem: `file:line: key: what is wrong, what is allowed`.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// One thing that is wrong with a configuration file.
public struct SettingsProblem: Sendable, Equatable, CustomStringConvertible {
    /// The kind of a mistake.
    public enum Code: String, Sendable, CaseIterable {
        /// The file cannot be opened or read, is not a regular file, or is too large.
        case unreadable
        /// The bytes are not UTF-8 text.
        case encoding
        /// The text is not TOML.
        case syntax
        /// A table or key that the schema does not know.
        case unknownKey
        case wrongType
        /// A value of the right type that the key does not allow.
        case notAllowed
        /// Two entries claim the same name, input or output.
        case duplicate
        /// Values that contradict each other, or that name something that does not exist.
        case conflict
    }

    /// The kind of mistake.
    public let code: Code
    /// The file as the caller named it.
    public let file: String
    /// The line, from 1; nil if the problem is the file itself.
    public let line: Int?
    /// The column in characters, from 1; nil if the problem is the file itself.
    public let column: Int?
    /// The key, such as `display.countdown_s` or `button[1].name` (counted from 0); nil if the
    /// problem belongs to no key.
    public let key: String?
    /// The problem and the allowed values, on one line.
    public let message: String

    /// A problem at a place in `file`.
    public init(
        _ code: Code, file: String, line: Int? = nil, column: Int? = nil, key: String? = nil,
        message: String
    ) {
        self.code = code
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.message = message
    }

    /// `file:line: key: message`; without a key `file:line:column: message`; for the file itself
    /// `file: message`.
    public var description: String {
        var place = file
        if let line {
            place += ":\(line)"
            if key == nil, let column { place += ":\(column)" }
        }
        if let key { place += ": \(key)" }
        return "\(place): \(message)"
    }
}
