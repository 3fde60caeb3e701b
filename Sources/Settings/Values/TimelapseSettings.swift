// SPDX-License-Identifier: GPL-3.0-or-later

/// The timelapses.
public struct TimelapseSettings: Sendable, Equatable {
    /// The time between two pictures.
    public var intervalSeconds: Double
    /// How long a timelapse runs before it ends by itself; 0 for ever.
    public var durationSeconds: Double
    /// Pictures shown per second.
    public var playbackRate: Double
    /// The part of the day without pictures; `nil` for none.
    public var pause: DailyPause?
    /// Whether a timelapse always runs.
    public var isPermanent: Bool

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, TimelapseKeys.table)
        intervalSeconds = decoder.value(TimelapseKeys.interval, in: table)
        durationSeconds = decoder.value(TimelapseKeys.duration, in: table)
        playbackRate = decoder.value(TimelapseKeys.rate, in: table)
        pause = DailyPause(decoder.value(TimelapseKeys.pause, in: table))
        isPermanent = decoder.value(TimelapseKeys.always, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(TimelapseKeys.table)
        writer.write(TimelapseKeys.interval, intervalSeconds)
        writer.write(TimelapseKeys.duration, durationSeconds)
        writer.write(TimelapseKeys.rate, playbackRate)
        writer.write(TimelapseKeys.pause, pause?.description ?? "")
        writer.write(TimelapseKeys.always, isPermanent)
    }
}

/// A part of every day, which may include midnight.
public struct DailyPause: Sendable, Equatable, CustomStringConvertible {
    /// The first minute inside, counted from midnight.
    public let begin: Int
    /// The first minute after the end, counted from midnight.
    public let end: Int

    /// Parses a text such as "22:00-06:00". Returns `nil` for any other form, and if begin and end
    /// are equal.
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
