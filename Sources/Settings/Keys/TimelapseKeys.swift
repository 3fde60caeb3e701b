// SPDX-License-Identifier: GPL-3.0-or-later

enum TimelapseKeys {
    static let table = SettingsTable(
        name: "timelapse", isList: false,
        help: "A movie of one picture per interval. The action `timelapse` begins and ends it.")
    static let interval = TypedKey.number(
        table, "interval_s", default: 10, in: 0.5...86400, unit: "s",
        help: "The time between two pictures.")
    static let duration = TypedKey.number(
        table, "duration_s", default: 0, in: 0...31_536_000, unit: "s",
        help: "The time after which a timelapse ends by itself; 0 for never.")
    static let rate = TypedKey.number(
        table, "playback_fps", default: 30, in: 1...60, unit: "fps",
        help: "Pictures per second in the movie.")
    static let pause = TypedKey.text(
        table, "pause", default: "", .dailyPause,
        help:
            "The part of the day without pictures, by the board's clock, such as `22:00-06:00`; "
            + "empty for none. It counts once the clock is known to be right.")
    static let always = TypedKey.boolean(
        table, "always", default: false,
        help:
            "Whether a timelapse always runs. One begins at the start, after a power cut, and ten "
            + "seconds after the last one ended by `duration_s` or the action. After failures the "
            + "delay doubles, up to eleven minutes.")
    static let all = [interval.key, duration.key, rate.key, pause.key, always.key]
}
