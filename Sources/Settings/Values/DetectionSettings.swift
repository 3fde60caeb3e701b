// SPDX-License-Identifier: GPL-3.0-or-later

/// The detection of motion and codes in the camera's pictures.
public struct DetectionSettings: Sendable, Equatable {
    /// Whether motion turns a dark screen on.
    public var wakesOnMotion = false
    /// Whether QR codes and bar codes are read.
    public var readsCodes = false
    /// The time between two examined pictures.
    public var intervalSeconds = 0.5

    /// The defaults: no detection.
    public init() {}
}

extension DetectionSettings: TableSettings {
    static let table = SettingsTable("detection", "What is detected in the camera's pictures.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "wake_on_motion", \.wakesOnMotion, .boolean,
            """
            Whether motion before the camera wakes a screen that `off_after_min` has switched off, \
            and keeps it on.
            """),
        .key(
            "codes", \.readsCodes, .boolean,
            """
            Whether QR codes and bar codes are read (libzbar); `vitrine status` shows the last \
            one.
            """),
        .key(
            "interval_s", \.intervalSeconds, .number(in: 0.1...60, unit: "s"),
            "The time between two examined pictures."),
    ]
}
