// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A date as EXIF holds it: `2024:06:01 10:11:12` by the standard, and common variants. Any of
/// `:-/. T` may separate the numbers, and blanks may pad them. A missing time means midnight. A
/// fraction, and `Z` or a UTC offset, may follow the time. ExifTool reads the same.
struct ExifDateText {
    /// Seconds from 1970-01-01 00:00 to the local date, as if the date were UTC.
    let localSeconds: Int64
    /// The fraction of the second; `nil` if the text has none.
    let nanoseconds: Int32?
    /// Local time minus UTC; `nil` if the text does not state it.
    let utcOffsetSeconds: Int?

    /// Parses a date of the years 1 to 9999; `nil` for other text, such as blanks or zeros.
    init?(_ text: String) {
        var reader = Reader(text)
        guard let year = reader.number(digits: 4...4), let month = reader.nextNumber(),
            let day = reader.nextNumber(), (1...9999).contains(year), (1...12).contains(month)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        // A day that the month does not have converts to a date in another month.
        guard CivilDate(daysSince1970: date.daysSince1970) == date else { return nil }
        let hour = reader.nextNumber() ?? 0
        let minute = reader.nextNumber() ?? 0
        let second = reader.nextNumber() ?? 0
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        localSeconds = date.daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        nanoseconds = reader.fraction()
        utcOffsetSeconds = reader.offset()
        guard reader.isAtEnd else { return nil }
    }

    /// Parses a UTC offset alone: `+02:00`, `-0330` or `Z`. Returns `nil` for anything else.
    static func utcOffsetSeconds(_ text: String) -> Int? {
        var reader = Reader(text)
        let offset = reader.offset()
        return reader.isAtEnd ? offset : nil
    }

    /// Parses a second's decimals between blanks: `5` is half a second. `nil` without a digit.
    static func nanoseconds(ofDecimals text: String) -> Int32? {
        var reader = Reader(text)
        return reader.decimals()
    }
}

private struct Reader {
    private var rest: ArraySlice<UInt8>

    private static let blanks = Array(" \t\0".utf8)
    private static let separators = Array(" :-/.T".utf8)

    /// Removes the blanks and NULs around the text.
    init(_ text: String) {
        rest = Array(text.utf8)[...]
        while let last = rest.last, Self.blanks.contains(last) { rest.removeLast() }
        rest = rest.drop { Self.blanks.contains($0) }
    }

    /// Whether only separators are left, as after a time whose numbers are blank.
    var isAtEnd: Bool { rest.allSatisfy { Self.separators.contains($0) } }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Reads a number if it has this many digits. Otherwise consumes nothing.
    mutating func number(digits: ClosedRange<Int>) -> Int? {
        let text = rest.prefix { isDigit($0) }
        guard digits.contains(text.count) else { return nil }
        rest = rest.dropFirst(text.count)
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Reads one or two digits after the next separators. Consumes nothing if there are none.
    mutating func nextNumber() -> Int? {
        let before = rest
        rest = rest.drop { Self.separators.contains($0) }
        guard rest.count < before.count, let number = number(digits: 1...2) else {
            rest = before
            return nil
        }
        return number
    }

    /// Reads a point or comma and the decimals after it.
    mutating func fraction() -> Int32? {
        guard let first = rest.first, first == UInt8(ascii: ".") || first == UInt8(ascii: ",")
        else { return nil }
        rest.removeFirst()
        return decimals()
    }

    /// Reads decimals of any length. Digits below a nanosecond are cut off.
    mutating func decimals() -> Int32? {
        let digits = rest.prefix { isDigit($0) }
        if digits.isEmpty { return nil }
        rest = rest.dropFirst(digits.count)
        let kept = digits.prefix(9)
        let value = kept.reduce(Int32(0)) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
        return (kept.count..<9).reduce(value) { value, _ in value * 10 }
    }

    /// Reads `Z`, or a sign, hours and optional minutes.
    mutating func offset() -> Int? {
        rest = rest.drop { Self.blanks.contains($0) }
        if rest.elementsEqual([UInt8(ascii: "Z")]) {
            rest = []
            return 0
        }
        guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
            return nil
        }
        rest.removeFirst()
        let hasColon = rest.contains(UInt8(ascii: ":"))
        guard let hours = hasColon ? number(digits: 1...2) : firstTwo() else { return nil }
        if hasColon { rest.removeFirst() }
        let minutes = number(digits: 2...2) ?? 0
        guard hours < 24, minutes < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -60 : 60) * (hours * 60 + minutes)
    }

    private mutating func firstTwo() -> Int? {
        let later = rest.dropFirst(2)
        rest = rest.prefix(2)
        defer { rest = later }
        return number(digits: 2...2)
    }
}
