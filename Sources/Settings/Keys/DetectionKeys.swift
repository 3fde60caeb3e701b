// SPDX-License-Identifier: GPL-3.0-or-later

enum DetectionKeys {
    static let table = SettingsTable(
        name: "detection", isList: false, help: "What is looked for in the camera's pictures.")
    static let wakes = TypedKey.boolean(
        table, "wake_on_motion", default: false,
        help:
            "Something that moves before the camera is somebody who is there: a screen that has gone dark by "
            + "`off_after_min` lights up, and stays lit.")
    static let codes = TypedKey.boolean(
        table, "codes", default: false,
        help: "QR codes and bar codes are read (libzbar); `vitrine status` tells the last one.")
    static let interval = TypedKey.number(
        table, "interval_s", default: 0.5, in: 0.1...60, unit: "s",
        help: "From one picture that is looked at to the next.")
    static let all = [wakes.key, codes.key, interval.key]
}
