// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A moment with the local time's UTC offset, as EXIF needs it.
public struct PictureTime: Hashable, Sendable {
    /// Seconds since 1970-01-01 00:00 UTC, without leap seconds.
    public var seconds: Int64
    /// Nanoseconds of the second, 0 to 999,999,999.
    public var nanoseconds: Int32
    /// Local time minus UTC. EXIF stores minutes: other values are rounded.
    public var utcOffsetSeconds: Int
    /// Whether the UTC offset is known. A file need not state it; ``utcOffsetSeconds`` is 0 then.
    public private(set) var hasUTCOffset = true

    /// Creates a time from its parts without checking them.
    public init(seconds: Int64, nanoseconds: Int32 = 0, utcOffsetSeconds: Int = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.utcOffsetSeconds = utcOffsetSeconds
    }

    private var offsetMinutes: Int {
        Int((Double(utcOffsetSeconds) / 60).rounded(.toNearestOrAwayFromZero))
    }

    /// The local time in EXIF, such as "2026:11:30 17:05:09"; `nil` outside the years 1 to 9999.
    package var dateTimeText: String? {
        let limit: Int64 = 400_000_000_000
        guard (-limit...limit).contains(seconds), (-86_399...86_399).contains(utcOffsetSeconds)
        else { return nil }
        let local = seconds + Int64(offsetMinutes * 60)
        let (days, second) = local.flooredDivision(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        guard (1...9999).contains(date.year) else { return nil }
        return "\(date.year.padded(4)):\(date.month.padded(2)):\(date.day.padded(2)) "
            + "\((second / 3600).padded(2)):\((second / 60 % 60).padded(2)):"
            + "\((second % 60).padded(2))"
    }

    /// The local time as XMP text (ISO 8601), such as "2026-11-30T17:05:09.250+02:00", without an
    /// unknown offset; `nil` outside the years 1 to 9999.
    var dateTimeISO: String? {
        guard let text = dateTimeText else { return nil }
        let parts = text.split(separator: " ")
        let fraction = nanoseconds == 0 ? "" : "." + (Int(nanoseconds) / 1_000_000).padded(3)
        return parts[0].replacing(":", with: "-") + "T\(parts[1])\(fraction)"
            + (hasUTCOffset ? offsetText : "")
    }

    package var subSecondText: String { Int(nanoseconds).padded(9) }

    /// The UTC offset, such as "+02:00".
    package var offsetText: String {
        let minutes = abs(offsetMinutes)
        return (offsetMinutes < 0 ? "-" : "+")
            + "\((minutes / 60).padded(2)):\((minutes % 60).padded(2))"
    }

    /// Parses a date as EXIF or another format has it: `2024:06:01 10:11:12` or
    /// `2024-06-01T10:11:12+0200`. Returns `nil` for other text.
    public init?(_ text: String) { self.init(dateTime: text, subSecond: nil, offset: nil) }

    /// Parses EXIF's texts; see ``ExifDateText``. A fraction and an offset in `dateTime` take
    /// precedence over the other texts. Local time counts as UTC if no offset is known.
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
