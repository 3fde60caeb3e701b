// SPDX-License-Identifier: GPL-3.0-or-later

/// TOML's notation for single values.
enum TOMLText {
    /// `text` as a basic string in quotes, on one line.
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

    /// `key` as a file has it: bare if TOML allows that, else in quotes.
    static func key(_ key: String) -> String {
        !key.isEmpty && key.utf8.allSatisfy(isBareKeyByte) ? key : quoted(key)
    }

    /// `key` for a message: never longer than a line.
    static func shownKey(_ key: String) -> String { self.key(shortened(key)) }

    /// Whether `byte` may stand in a key without quotes.
    static func isBareKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// `value` for a message: never longer than a line.
    static func shown(_ value: TOMLValue) -> String? {
        switch value {
        case .string(let text): quoted(shortened(text))
        case .integer(let integer): String(integer)
        case .float(let number): String(number)
        case .boolean(let boolean): String(boolean)
        case .table, .array, .dateOrTime: nil
        }
    }

    /// `text` without anything that ends or disturbs a line.
    static func onOneLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            line.unicodeScalars.append(isControl(scalar) ? " " : scalar)
        }
        return line
    }

    /// C0, DEL and C1 controls and the Unicode line ends: nothing that belongs in one line.
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
