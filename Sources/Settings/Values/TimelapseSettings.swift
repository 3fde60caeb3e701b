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
    public var pause: DailyPeriod?
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
            "pause", \.pause, .dailyPeriod,
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
