// SPDX-License-Identifier: GPL-3.0-or-later

/// TOML's notation for single values.
enum TOMLText {
    /// Returns `text` as a basic string in quotes, on one line.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isControl(scalar):
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Returns `key` as a file writes it: bare if TOML allows that, otherwise in quotes.
    static func key(_ key: String) -> String {
        !key.isEmpty && key.utf8.allSatisfy(isBareKeyByte) ? key : quoted(key)
    }

    /// Returns `key` for a message, shortened to fit a line.
    static func shownKey(_ key: String) -> String { self.key(shortened(key)) }

    /// Whether a key without quotes may contain `byte`.
    static func isBareKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Returns `value` for a message, shortened to a line; nil for tables, lists, dates and times.
    static func shown(_ value: TOMLValue) -> String? {
        switch value {
        case .string(let text): quoted(shortened(text))
        case .integer(let integer): String(integer)
        case .float(let number): String(number)
        case .boolean(let boolean): String(boolean)
        case .table, .array, .dateOrTime: nil
        }
    }

    /// Returns `text` with every control character and line end replaced by a space.
    static func onOneLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            line.unicodeScalars.append(isControl(scalar) ? " " : scalar)
        }
        return line
    }

    /// Whether `scalar` is a control character (C0, DEL, C1) or a Unicode line end.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar == "\u{2028}"
            || scalar == "\u{2029}"
    }

    private static func shortened(_ text: String) -> String {
        let limit = 60
        let start = String(text.unicodeScalars.prefix(limit))
        return start.unicodeScalars.count < text.unicodeScalars.count ? start + "…" : text
    }
}
