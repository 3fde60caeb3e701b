// SPDX-License-Identifier: GPL-3.0-or-later

/// One key of the configuration file: its name, type, default, allowed values and help.
public struct SettingsKey: Sendable, Equatable {
    /// The type of a key's value.
    public enum ValueType: String, Sendable, CaseIterable {
        case text
        case integer
        /// A number, with or without a fraction.
        case number
        case boolean
        /// A word in quotes, from a fixed list.
        case choice
    }

    /// The values that the key may hold.
    public enum Allowed: Sendable, Equatable {
        case any
        case integers([ClosedRange<Int>])
        case numbers([ClosedRange<Double>])
        case choices([String])
        /// Text in this form, described for people.
        case form(String)
    }

    /// The table that holds the key: `display`, `camera`, `camera.match`, `actions`.
    public let table: String
    /// The key inside the table: `countdown_s`; `NAME.press` in `actions`.
    public let name: String
    /// The kind of value.
    public let type: ValueType
    /// The default as a file writes it: `3`, `true`, `"front"`.
    public let defaultValue: String
    /// The unit of a number: `s`, `ms`, `MB`, `px`, `fps`, `degrees`; nil for none.
    public let unit: String?
    /// The values that are allowed.
    public let allowed: Allowed
    /// The purpose of the key, in one or two sentences.
    public let help: String

    /// The key's full name: `display.countdown_s`.
    public var path: String { "\(table).\(name)" }

    /// The allowed values, for people: `0 to 30 s`.
    public var allowedText: String {
        switch allowed {
        case .any: type == .boolean ? "true or false" : "text in quotes"
        case .integers(let ranges): Self.list(ranges.map(Self.text)) + suffix
        case .numbers(let ranges): Self.list(ranges.map(Self.text)) + suffix
        case .choices(let words): Self.list(words.map(TOMLText.quoted))
        case .form(let description): description
        }
    }

    private var suffix: String { unit.map { " \($0)" } ?? "" }

    private static func text(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }

    private static func text(_ range: ClosedRange<Double>) -> String {
        let (least, most) = (text(range.lowerBound), text(range.upperBound))
        return least == most ? least : "\(least) to \(most)"
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e9 ? String(Int(number)) : String(number)
    }

    private static func list(_ parts: [String]) -> String {
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " or " + last
    }
}

/// One table of the configuration file.
public struct SettingsTable: Sendable, Equatable {
    /// The table's name: `display`, `camera.match`.
    public let name: String
    /// Whether the file may contain the table several times: `[[camera]]`.
    public let isList: Bool
    /// The purpose of the table.
    public let help: String

    init(_ name: String, isList: Bool = false, _ help: String) {
        self.name = name
        self.isList = isList
        self.help = help
    }

    /// The table's header in the file: `[display]`, `[[camera]]`.
    public var header: String { isList ? "[[\(name)]]" : "[\(name)]" }
}
