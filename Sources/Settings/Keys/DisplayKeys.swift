// SPDX-License-Identifier: GPL-3.0-or-later

enum DisplayKeys {
    static let table = SettingsTable(
        name: "display", isList: false, help: "The screen and what people see on it.")
    static let driver = TypedKey.text(
        table, "driver", default: "", .line,
        help: "The DRM driver to use, such as `vc4`; empty is the first that has a connector."
    ).optional(none: "")
    static let connector = TypedKey.text(
        table, "connector", default: "", .line,
        help: "The connector to use, such as `HDMI-A-1`; empty is the first with a display."
    ).optional(none: "")
    static let mode = TypedKey.text(
        table, "mode", default: "auto", .mode,
        help: "The screen's mode: `native` is the display's preferred one, `auto` may take one "
            + "that matches the camera where the hardware cannot scale.")
    static let rotation = TypedKey.integer(
        table, "rotation_deg", default: 0, in: 0...0, 90...90, 180...180, 270...270,
        unit: "degrees",
        help:
            "How far everything on the screen is turned, clockwise, for a display that is mounted "
            + "turned the other way."
    ).map({ MountRotation(rawValue: $0) ?? .degrees0 }, back: \.rawValue)
    static let gravity = TypedKey<DisplaySettings.Gravity>.choice(
        table, "gravity", default: .resizeAspect,
        help: "How the picture fills the screen: whole (`resizeAspect`), cropped "
            + "(`resizeAspectFill`) or stretched (`resize`).")
    static let mirror = TypedKey.boolean(
        table, "mirror", default: true,
        help:
            "Show the preview like a looking glass, but not that of a camera whose `position` is `back`. Photos are never "
            + "mirrored.")
    static let readyHint = TypedKey.boolean(
        table, "ready_hint", default: true,
        help:
            "Show `ready_text` while nothing happens; what keeps photos from being taken is said in any case."
    )
    static let countdown = TypedKey.integer(
        table, "countdown_s", default: 3, in: 0...30, unit: "s",
        help: "Seconds from the press to the photo; 0 takes it at the press.")
    static let review = TypedKey.number(
        table, "review_s", default: 4, in: 0...60, unit: "s",
        help: "How long the photo stays on the screen; 0 goes straight back to the preview.")
    static let offAfter = TypedKey.integer(
        table, "off_after_min", default: 0, in: 0...1440, unit: "min",
        help:
            "The screen is switched off (standby) when no button has been pressed for so long; the "
            + "next press switches it on and does nothing else. 0 never does that.")
    static let splash = TypedKey.text(
        table, "splash", default: "", .picture,
        help:
            "A PNG picture for the screen while the kiosk starts, and when the display is set up anew; "
            + "empty is Vitrine's own. A relative path starts at the configuration file's folder.")
    static let readyText = TypedKey.text(
        table, "ready_text", default: "Press the button", .screenText,
        help: "What the screen says while it waits.")
    static let savedText = TypedKey.text(
        table, "saved_text", default: "Saved", .screenText,
        help: "What the screen says once the photo is safely stored.")
    static let all = [
        driver.key, connector.key, mode.key, rotation.key, gravity.key, mirror.key, readyHint.key,
        countdown.key, review.key, offAfter.key, splash.key, readyText.key, savedText.key,
    ]
}
