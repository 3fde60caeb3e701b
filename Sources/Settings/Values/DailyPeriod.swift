// SPDX-License-Identifier: GPL-3.0-or-later

/// A part of every day, which may include midnight.
public struct DailyPeriod: Sendable, Equatable, CustomStringConvertible {
    /// The first minute inside, counted from midnight.
    public let begin: Int
    /// The first minute after the end, counted from midnight.
    public let end: Int

    /// Parses a text such as "22:00-06:00"; `nil` for other forms, and if begin and end are equal.
    public init?(_ text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let begin = Self.minutes(ends[0]), let end = Self.minutes(ends[1]),
            begin != end
        else { return nil }
        (self.begin, self.end) = (begin, end)
    }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isNumber) }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
        else { return nil }
        return hours * 60 + minutes
    }

    /// Whether this second of the day, counted from midnight, is inside.
    public func contains(secondOfDay second: Int64) -> Bool {
        let minute = Int(second / 60)
        return begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
    }

    /// The text that ``init(_:)`` parses.
    public var description: String {
        [begin, end].map { minute in
            let (hours, minutes) = (minute / 60, minute % 60)
            return "\(hours / 10)\(hours % 10):\(minutes / 10)\(minutes % 10)"
        }.joined(separator: "-")
    }
}
