// SPDX-License-Identifier: GPL-3.0-or-later

enum DetectionKeys {
    static let table = SettingsTable(
        name: "detection", isList: false, help: "What is detected in the camera's pictures.")
    static let wakes = TypedKey.boolean(
        table, "wake_on_motion", default: false,
        help:
            "Whether motion before the camera wakes a screen that `off_after_min` has switched "
            + "off, and keeps it on.")
    static let codes = TypedKey.boolean(
        table, "codes", default: false,
        help:
            "Whether QR codes and bar codes are read (libzbar); `vitrine status` shows the last "
            + "one.")
    static let interval = TypedKey.number(
        table, "interval_s", default: 0.5, in: 0.1...60, unit: "s",
        help: "The time between two examined pictures.")
    static let all = [wakes.key, codes.key, interval.key]
}
