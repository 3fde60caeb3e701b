// SPDX-License-Identifier: GPL-3.0-or-later

/// A moment of wall time with the offset that the place had then. Written as ISO 8601 with
/// milliseconds and offset, for example `2026-11-21T12:30:05.123+01:00`.
public struct WallTime: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Nanoseconds since 1970, UTC.
    public let nanoseconds: Int64
    /// Seconds that local time was ahead of UTC.
    public let utcOffsetSeconds: Int

    /// As a clock and a time zone give it.
    public init(nanoseconds: Int64, utcOffsetSeconds: Int) {
        self.nanoseconds = nanoseconds
        self.utcOffsetSeconds = utcOffsetSeconds
    }

    /// Local calendar fields, proleptic Gregorian.
    struct Fields {
        var year, month, day, hour, minute, second, millisecond: Int
    }

    var fields: Fields {
        let milliseconds = nanoseconds.flooredDivision(by: 1_000_000)
        let local = milliseconds.quotient + Int64(utcOffsetSeconds) * 1000
        let (days, inDay) = local.flooredDivision(by: 86_400_000)
        let (year, month, day) = WallTime.civil(days: Int(days))
        let rest = Int(inDay)
        return Fields(
            year: year, month: month, day: day, hour: rest / 3_600_000,
            minute: rest / 60_000 % 60, second: rest / 1000 % 60, millisecond: rest % 1000)
    }

    /// Days since 1970 to a date: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    private static func civil(days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    /// ISO 8601 with milliseconds and offset.
    public var description: String {
        let fields = fields
        let offset = abs(utcOffsetSeconds) / 60
        return padded(fields.year, 4) + "-" + padded(fields.month, 2) + "-"
            + padded(fields.day, 2) + "T" + padded(fields.hour, 2) + ":"
            + padded(fields.minute, 2) + ":" + padded(fields.second, 2) + "."
            + padded(fields.millisecond, 3) + (utcOffsetSeconds < 0 ? "-" : "+")
            + padded(offset / 60, 2) + ":" + padded(offset % 60, 2)
    }

    /// Reads what ``description`` writes; `nil` for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 29 else { return nil }
        func number(_ start: Int, _ count: Int) -> Int? {
            Int(String(decoding: bytes[start..<start + count], as: UTF8.self))
        }
        guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
            let millisecond = number(20, 3), let hours = number(24, 2),
            let minutes = number(27, 2)
        else { return nil }
        let offset = (hours * 3600 + minutes * 60) * (bytes[23] == UInt8(ascii: "-") ? -1 : 1)
        let days = WallTime.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(
            nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(millisecond) * 1_000_000,
            utcOffsetSeconds: offset)
        guard description == text else { return nil }
    }

    /// Reads ISO 8601 as ``description`` writes it; throws for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = WallTime(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text) is not a time")
        }
        self = time
    }

    /// Writes ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Decimal digits with leading zeros.
func padded(_ number: some BinaryInteger, _ width: Int) -> String {
    let digits = String(number.magnitude)
    return (number < 0 ? "-" : "")
        + String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
    func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
