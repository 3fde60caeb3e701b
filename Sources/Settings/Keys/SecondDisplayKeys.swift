// SPDX-License-Identifier: GPL-3.0-or-later

enum SecondDisplayKeys {
    static let table = SettingsTable(
        name: "second_display", isList: false,
        help:
            "Another display, on the same card or another one, that shows only the camera's "
            + "picture.")
    static let driver = TypedKey.text(
        table, "driver", default: "", .line,
        help: "The DRM driver, such as `vc4`; empty for the first that has the connector."
    ).optional(none: "")
    static let connector = TypedKey.text(
        table, "connector", default: "", .line,
        help: "The connector, such as `HDMI-A-2`; empty for no second display."
    ).optional(none: "")
    static let mode = TypedKey.text(
        table, "mode", default: "auto", .mode, help: "The screen's mode, as in `[display]`.")
    static let rotation = TypedKey.integer(
        table, "rotation_deg", default: 0, in: 0...0, 90...90, 180...180, 270...270,
        unit: "degrees", help: "The clockwise rotation of the picture."
    ).map({ MountRotation(rawValue: $0) ?? .degrees0 }, back: \.rawValue)
    static let gravity = TypedKey<DisplaySettings.Gravity>.choice(
        table, "gravity", default: .resizeAspect,
        help: "How the picture fills the screen, as in `[display]`.")
    static let mirror = TypedKey.boolean(
        table, "mirror", default: false, help: "Whether the picture is mirrored.")
    static let all = [
        driver.key, connector.key, mode.key, rotation.key, gravity.key, mirror.key,
    ]
}
