// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media

/// A moment of wall time with the UTC offset of the place. It is written as ISO 8601 with
/// milliseconds and offset, for example `2026-11-21T12:30:05.123+01:00`.
public struct WallTime: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Nanoseconds since 1970, UTC.
    public let nanoseconds: Int64
    /// Seconds by which local time was ahead of UTC.
    public let utcOffsetSeconds: Int

    /// Creates a time from a clock's value and the offset of the time zone.
    public init(nanoseconds: Int64, utcOffsetSeconds: Int) {
        self.nanoseconds = nanoseconds
        self.utcOffsetSeconds = utcOffsetSeconds
    }

    /// Creates a time from a clock's value, with this machine's time zone.
    package init(here nanoseconds: Int64) {
        self.init(
            nanoseconds: nanoseconds, utcOffsetSeconds: Clock.utcOffset(at: nanoseconds))
    }

    /// The local calendar fields, proleptic Gregorian.
    struct Fields {
        var year, month, day, hour, minute, second, millisecond: Int
    }

    var fields: Fields {
        let milliseconds = nanoseconds.flooredDivision(by: 1_000_000)
        let local = milliseconds.quotient + Int64(utcOffsetSeconds) * 1000
        let (days, inDay) = local.flooredDivision(by: 86_400_000)
        let date = CivilDate(daysSince1970: days)
        let rest = Int(inDay)
        return Fields(
            year: date.year, month: date.month, day: date.day, hour: rest / 3_600_000,
            minute: rest / 60_000 % 60, second: rest / 1000 % 60, millisecond: rest % 1000)
    }

    /// The ISO 8601 form with milliseconds and offset.
    public var description: String {
        let fields = fields
        let offset = abs(utcOffsetSeconds) / 60
        return fields.year.padded(4) + "-" + fields.month.padded(2) + "-"
            + fields.day.padded(2) + "T" + fields.hour.padded(2) + ":"
            + fields.minute.padded(2) + ":" + fields.second.padded(2) + "."
            + fields.millisecond.padded(3) + (utcOffsetSeconds < 0 ? "-" : "+")
            + (offset / 60).padded(2) + ":" + (offset % 60).padded(2)
    }

    /// Parses the form of ``description``; `nil` for anything else.
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
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        let seconds = Int(days) * 86_400 + hour * 3600 + minute * 60 + second - offset
        let (whole, isTooLarge) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(Int64(millisecond) * 1_000_000)
        // The time is outside the years 1678 to 2261.
        if isTooLarge || isOver { return nil }
        self.init(nanoseconds: sum, utcOffsetSeconds: offset)
        guard description == text else { return nil }
    }

    /// Reads the form of ``description``; throws for anything else.
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
