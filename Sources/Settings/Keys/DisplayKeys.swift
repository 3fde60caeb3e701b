// SPDX-License-Identifier: GPL-3.0-or-later

enum DisplayKeys {
    static let table = SettingsTable(
        name: "display", isList: false, help: "The screen and what people see on it.")
    static let driver = TypedKey.text(
        table, "driver", default: "", .line,
        help: "The DRM driver, such as `vc4`; empty for the first that has a connector."
    ).optional(none: "")
    static let connector = TypedKey.text(
        table, "connector", default: "", .line,
        help: "The connector, such as `HDMI-A-1`; empty for the first with a display."
    ).optional(none: "")
    static let mode = TypedKey.text(
        table, "mode", default: "auto", .mode,
        help:
            "The screen's mode. `native` is the display's preferred mode; `auto` may take one that "
            + "matches the camera if the hardware cannot scale.")
    static let rotation = TypedKey.integer(
        table, "rotation_deg", default: 0, in: 0...0, 90...90, 180...180, 270...270,
        unit: "degrees",
        help:
            "The clockwise rotation of everything on the screen, for a display that is mounted "
            + "turned."
    ).map({ MountRotation(rawValue: $0) ?? .degrees0 }, back: \.rawValue)
    static let gravity = TypedKey<DisplaySettings.Gravity>.choice(
        table, "gravity", default: .resizeAspect,
        help:
            "How the picture fills the screen: whole (`resizeAspect`), cropped "
            + "(`resizeAspectFill`) or stretched (`resize`).")
    static let mirror = TypedKey.boolean(
        table, "mirror", default: true,
        help:
            "Whether the preview is mirrored. The preview of a camera whose `position` is `back` "
            + "never is, and photos never are.")
    static let readyHint = TypedKey.boolean(
        table, "ready_hint", default: true,
        help:
            "Whether the screen shows `ready_text` while nothing happens. It always shows what "
            + "prevents photos.")
    static let countdown = TypedKey.integer(
        table, "countdown_s", default: 3, in: 0...30, unit: "s",
        help: "Seconds from the press to the photo; 0 takes it at the press.")
    static let review = TypedKey.number(
        table, "review_s", default: 4, in: 0...60, unit: "s",
        help: "How long the photo stays on the screen; 0 goes straight back to the preview.")
    static let offAfter = TypedKey.integer(
        table, "off_after_min", default: 0, in: 0...1440, unit: "min",
        help:
            "The screen goes to standby after this time without a press; 0 for never. The press "
            + "that wakes it does nothing else.")
    static let splash = TypedKey.text(
        table, "splash", default: "", .picture,
        help:
            "A PNG picture for the screen while the kiosk starts and while the display is set up "
            + "again; empty for Vitrine's own. A relative path starts at the configuration file's "
            + "folder.")
    static let readyText = TypedKey.text(
        table, "ready_text", default: "Press the button", .screenText,
        help: "The text on the screen while it waits for a press.")
    static let savedText = TypedKey.text(
        table, "saved_text", default: "Saved", .screenText,
        help: "The text on the screen once the photo is stored.")
    static let all = [
        driver.key, connector.key, mode.key, rotation.key, gravity.key, mirror.key, readyHint.key,
        countdown.key, review.key, offAfter.key, splash.key, readyText.key, savedText.key,
    ]
}
