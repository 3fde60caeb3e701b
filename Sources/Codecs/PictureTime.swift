// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A moment with the local time's distance from UTC, as EXIF wants it.
public struct PictureTime: Hashable, Sendable {
    /// Since 1970-01-01 00:00 UTC, without leap seconds.
    public var seconds: Int64
    /// 0 to 999,999,999.
    public var nanoseconds: Int32
    /// Local time minus UTC. EXIF counts in minutes: others are rounded.
    public var utcOffsetSeconds: Int
    /// Whether a file that this was read from told the offset, which it need not: 0 stands for it then.
    public private(set) var hasUTCOffset = true

    /// Seconds since 1970, nanoseconds of the second, offset of local time; nothing is checked.
    public init(seconds: Int64, nanoseconds: Int32 = 0, utcOffsetSeconds: Int = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.utcOffsetSeconds = utcOffsetSeconds
    }

    private var offsetMinutes: Int {
        Int((Double(utcOffsetSeconds) / 60).rounded(.toNearestOrAwayFromZero))
    }

    /// "2026:11:30 17:05:09", local; `nil` outside the years 1 to 9999.
    var dateTimeText: String? {
        let limit: Int64 = 400_000_000_000
        guard (-limit...limit).contains(seconds), (-86_399...86_399).contains(utcOffsetSeconds)
        else { return nil }
        let local = seconds + Int64(offsetMinutes * 60)
        let (days, second) = local.flooredDivision(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        guard (1...9999).contains(date.year) else { return nil }
        return "\(date.year.padded(4)):\(date.month.padded(2)):\(date.day.padded(2)) "
            + "\((second / 3600).padded(2)):\((second / 60 % 60).padded(2)):\((second % 60).padded(2))"
    }

    /// Nine digits.
    var subSecondText: String { Int(nanoseconds).padded(9) }

    /// "+02:00".
    var offsetText: String {
        let minutes = abs(offsetMinutes)
        return (offsetMinutes < 0 ? "-" : "+")
            + "\((minutes / 60).padded(2)):\((minutes % 60).padded(2))"
    }

    /// Reads EXIF's texts; without an offset local time is taken for UTC.
    init?(dateTime: String, subSecond: String?, offset: String?) {
        let parts = dateTime.split(whereSeparator: { $0 == ":" || $0 == " " }).compactMap {
            $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil
        }
        guard parts.count == 6, (1...9999).contains(parts[0]), (1...12).contains(parts[1]),
            (1...31).contains(parts[2]), parts[3] < 24, parts[4] < 60, parts[5] <= 60
        else { return nil }
        let day = CivilDate(year: parts[0], month: parts[1], day: parts[2]).daysSince1970
        let told = offset.flatMap(Self.offsetSeconds)
        hasUTCOffset = told != nil
        utcOffsetSeconds = told ?? 0
        seconds =
            day * 86_400 + Int64(parts[3] * 3600 + parts[4] * 60 + parts[5] - utcOffsetSeconds)
        let digits = (subSecond ?? "").utf8.prefix { (0x30...0x39).contains($0) }.prefix(9)
        nanoseconds = digits.reduce(0) { $0 * 10 + Int32($1 - 0x30) }
        for _ in digits.count..<9 { nanoseconds *= 10 }
    }

    private static func offsetSeconds(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 6, bytes[0] == 0x2b || bytes[0] == 0x2d, bytes[3] == 0x3a else {
            return nil
        }
        let digits = [bytes[1], bytes[2], bytes[4], bytes[5]].map { Int($0) - 0x30 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
        return (bytes[0] == 0x2d ? -60 : 60) * minutes
    }
}
