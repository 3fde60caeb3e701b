// SPDX-License-Identifier: GPL-3.0-or-later

/// Timelapses.
public struct TimelapseSettings: Sendable, Equatable {
    /// From one picture to the next.
    public var intervalSeconds: Double
    /// It ends by itself after so long; 0: never.
    public var durationSeconds: Double
    /// Pictures that are shown in a second.
    public var playbackRate: Double
    /// When nothing is taken; `nil` for never.
    public var pause: DailyPause?
    /// Whether one runs all the time.
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

/// A part of every day, which may go over midnight.
public struct DailyPause: Sendable, Equatable, CustomStringConvertible {
    /// Minutes after midnight: the first that is in it.
    public let begin: Int
    /// The first that is not.
    public let end: Int

    /// As it is written, such as "22:00-06:00"; `nil` for anything else, and where begin and end are the same.
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

    /// Whether this second of the day, counted from midnight, is in it.
    public func contains(secondOfDay second: Int64) -> Bool {
        let minute = Int(second / 60)
        return begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
    }

    /// As ``init(_:)`` reads it.
    public var description: String {
        [begin, end].map { minute in
            let (hours, minutes) = (minute / 60, minute % 60)
            return "\(hours / 10)\(hours % 10):\(minutes / 10)\(minutes % 10)"
        }.joined(separator: "-")
    }
}
