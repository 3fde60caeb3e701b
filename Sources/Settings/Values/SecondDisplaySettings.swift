// SPDX-License-Identifier: GPL-3.0-or-later

/// A second display, which shows only the camera's picture.
public struct SecondDisplaySettings: Sendable, Equatable {
    /// The DRM driver; nil for the first that has the connector.
    public var driver: String?
    /// The connector, such as `HDMI-A-2`; nil for no second display.
    public var connector: String?
    /// The screen's mode: `auto`, `native` or `WIDTHxHEIGHT`.
    public var mode = "auto"
    /// The clockwise rotation of the picture.
    public var rotation = MountRotation.degrees0
    /// How the picture fills the screen.
    public var gravity = DisplaySettings.Gravity.resizeAspect
    /// Whether the picture is mirrored.
    public var mirror = false

    /// The defaults.
    public init() {}
}

extension SecondDisplaySettings: TableSettings {
    static let table = SettingsTable(
        "second_display",
        "Another display, on the same card or another one, that shows only the camera's picture.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "driver", \.driver, .text(.line),
            "The DRM driver, such as `vc4`; empty for the first that has the connector."),
        .key(
            "connector", \.connector, .text(.line),
            "The connector, such as `HDMI-A-2`; empty for no second display."),
        .key("mode", \.mode, .text(.mode), "The screen's mode, as in `[display]`."),
        .key("rotation_deg", \.rotation, .rotation, "The clockwise rotation of the picture."),
        .key("gravity", \.gravity, .choice, "How the picture fills the screen, as in `[display]`."),
        .key("mirror", \.mirror, .boolean, "Whether the picture is mirrored."),
    ]
}
