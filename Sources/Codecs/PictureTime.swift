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
    package var dateTimeText: String? {
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

    /// "2026-11-30T17:05:09.250+02:00", as XMP has it (ISO 8601). An unknown offset is left out. `nil` outside the years
    /// 1 to 9999.
    var dateTimeISO: String? {
        guard let text = dateTimeText else { return nil }
        let parts = text.split(separator: " ")
        let fraction = nanoseconds == 0 ? "" : "." + (Int(nanoseconds) / 1_000_000).padded(3)
        return parts[0].replacing(":", with: "-") + "T\(parts[1])\(fraction)"
            + (hasUTCOffset ? offsetText : "")
    }

    /// Nine digits.
    package var subSecondText: String { Int(nanoseconds).padded(9) }

    /// "+02:00".
    package var offsetText: String {
        let minutes = abs(offsetMinutes)
        return (offsetMinutes < 0 ? "-" : "+")
            + "\((minutes / 60).padded(2)):\((minutes % 60).padded(2))"
    }

    /// Reads a date as EXIF or another format has it: `2024:06:01 10:11:12` or `2024-06-01T10:11:12+0200`. `nil` for text
    /// that is none.
    public init?(_ text: String) { self.init(dateTime: text, subSecond: nil, offset: nil) }

    /// Reads EXIF's texts, see ``ExifDateText``. Local time counts as UTC if no offset is known. A fraction and an offset
    /// in `dateTime` itself count before the other two texts.
    package init?(dateTime: String, subSecond: String?, offset: String?) {
        guard let date = ExifDateText(dateTime) else { return nil }
        let told = date.utcOffsetSeconds ?? offset.flatMap(ExifDateText.utcOffsetSeconds)
        hasUTCOffset = told != nil
        utcOffsetSeconds = told ?? 0
        seconds = date.localSeconds - Int64(utcOffsetSeconds)
        nanoseconds =
            date.nanoseconds ?? subSecond.flatMap(ExifDateText.nanoseconds(ofDecimals:)) ?? 0
    }
}
