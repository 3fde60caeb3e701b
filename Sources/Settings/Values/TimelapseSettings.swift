// SPDX-License-Identifier: GPL-3.0-or-later

/// The timelapses.
public struct TimelapseSettings: Sendable, Equatable {
    /// The time between two pictures.
    public var intervalSeconds = 10.0
    /// How long a timelapse runs before it ends by itself; 0 for ever.
    public var durationSeconds = 0.0
    /// Pictures shown per second.
    public var playbackRate = 30.0
    /// The part of the day without pictures; `nil` for none.
    public var pause: DailyPause?
    /// Whether a timelapse always runs.
    public var isPermanent = false

    /// The defaults.
    public init() {}
}

extension TimelapseSettings: TableSettings {
    static let table = SettingsTable(
        "timelapse",
        "A movie of one picture per interval. The action `timelapse` begins and ends it.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "interval_s", \.intervalSeconds, .number(in: 0.5...86400, unit: "s"),
            "The time between two pictures."),
        .key(
            "duration_s", \.durationSeconds, .number(in: 0...31_536_000, unit: "s"),
            "The time after which a timelapse ends by itself; 0 for never."),
        .key(
            "playback_fps", \.playbackRate, .number(in: 1...60, unit: "fps"),
            "Pictures per second in the movie."),
        .key(
            "pause", \.pause, .dailyPause,
            """
            The part of the day without pictures, by the board's clock, such as `22:00-06:00`; \
            empty for none. It counts once the clock is known to be right.
            """),
        .key(
            "always", \.isPermanent, .boolean,
            """
            Whether a timelapse always runs. One begins at the start, after a power cut, and ten \
            seconds after the last one ended by `duration_s` or the action. After failures the \
            delay doubles, up to eleven minutes.
            """),
    ]
}

/// A part of every day, which may include midnight.
public struct DailyPause: Sendable, Equatable, CustomStringConvertible {
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
