// SPDX-License-Identifier: GPL-3.0-or-later

enum TimelapseKeys {
    static let table = SettingsTable(
        name: "timelapse", isList: false,
        help: "A movie of one picture every so often, which the action `timelapse` begins and ends."
    )
    static let interval = TypedKey.number(
        table, "interval_s", default: 10, in: 0.5...86400, unit: "s",
        help: "From one picture to the next.")
    static let duration = TypedKey.number(
        table, "duration_s", default: 0, in: 0...31_536_000, unit: "s",
        help: "It ends by itself after so long; 0: when somebody ends it.")
    static let rate = TypedKey.number(
        table, "playback_fps", default: 30, in: 1...60, unit: "fps",
        help: "Pictures that are shown in a second.")
    static let pause = TypedKey.text(
        table, "pause", default: "", .dailyPause,
        help:
            "From when to when nothing is taken, by the board's clock, such as `22:00-06:00`; not before that is known to "
            + "be right. Empty: never.")
    static let always = TypedKey.boolean(
        table, "always", default: false,
        help:
            "One begins by itself where none runs: at the start, after a power cut, and ten seconds after one that has "
            + "ended, by `duration_s` or the action; after failures later and later, up to eleven minutes."
    )
    static let all = [interval.key, duration.key, rate.key, pause.key, always.key]
}
