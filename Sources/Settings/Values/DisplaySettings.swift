// SPDX-License-Identifier: GPL-3.0-or-later

/// The screen and what people see on it.
public struct DisplaySettings: Sendable, Equatable {
    /// How the picture fills the screen, with AVFoundation's names.
    public enum Gravity: String, Sendable, CaseIterable {
        /// The whole picture, with bars.
        case resizeAspect
        /// Cropped, without bars.
        case resizeAspectFill
        case resize
    }

    /// The DRM driver; nil for the first that has a connector.
    public var driver: String?
    /// The connector, such as `HDMI-A-1`; nil for the first with a display.
    public var connector: String?
    /// The screen's mode: `auto`, `native` or `WIDTHxHEIGHT`.
    public var mode = "auto"
    /// The clockwise rotation of everything on the screen.
    public var rotation = MountRotation.degrees0
    /// How the picture fills the screen.
    public var gravity = Gravity.resizeAspect
    /// Whether the preview is mirrored.
    public var mirror = true
    /// Whether the screen shows `readyText`.
    public var readyHint = true
    /// Seconds from the press to the photo.
    public var countdownSeconds = 3
    /// How long the photo stays on the screen.
    public var reviewSeconds = 4.0
    /// Minutes without a press until the screen is switched off; 0 for never.
    public var offAfterMinutes = 0
    /// The path of a PNG picture shown at the start, absolute after `Settings.load(file:)`; empty
    /// for Vitrine's own.
    public var splash = ""
    /// The text on the screen while it waits for a press.
    public var readyText = "Press the button"
    /// The text on the screen once the photo is stored.
    public var savedText = "Saved"

    /// The defaults.
    public init() {}
}

extension DisplaySettings: TableSettings {
    static let table = SettingsTable("display", "The screen and what people see on it.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "driver", \.driver, .text(.line),
            "The DRM driver, such as `vc4`; empty for the first that has a connector."),
        .key(
            "connector", \.connector, .text(.line),
            "The connector, such as `HDMI-A-1`; empty for the first with a display."),
        .key(
            "mode", \.mode, .text(.mode),
            """
            The screen's mode. `native` is the display's preferred mode; `auto` may take one that \
            matches the camera if the hardware cannot scale.
            """),
        .key(
            "rotation_deg", \.rotation, .rotation,
            """
            The clockwise rotation of everything on the screen, for a display that is mounted \
            turned.
            """),
        .key(
            "gravity", \.gravity, .choice,
            """
            How the picture fills the screen: whole (`resizeAspect`), cropped (`resizeAspectFill`) \
            or stretched (`resize`).
            """),
        .key(
            "mirror", \.mirror, .boolean,
            """
            Whether the preview is mirrored. The preview of a camera whose `position` is `back` \
            never is, and photos never are.
            """),
        .key(
            "ready_hint", \.readyHint, .boolean,
            """
            Whether the screen shows `ready_text` while nothing happens. It always shows what \
            prevents photos.
            """),
        .key(
            "countdown_s", \.countdownSeconds, .integer(in: 0...30, unit: "s"),
            "Seconds from the press to the photo; 0 takes it at the press."),
        .key(
            "review_s", \.reviewSeconds, .number(in: 0...60, unit: "s"),
            "How long the photo stays on the screen; 0 goes straight back to the preview."),
        .key(
            "off_after_min", \.offAfterMinutes, .integer(in: 0...1440, unit: "min"),
            """
            The screen goes to standby after this time without a press; 0 for never. The press \
            that wakes it does nothing else.
            """),
        .key(
            "splash", \.splash, .text(.picture),
            """
            A PNG picture for the screen while the kiosk starts and while the display is set up \
            again; empty for Vitrine's own. A relative path starts at the configuration file's \
            folder.
            """),
        .key(
            "ready_text", \.readyText, .text(.screenText),
            "The text on the screen while it waits for a press."),
        .key(
            "saved_text", \.savedText, .text(.screenText),
            "The text on the screen once the photo is stored."),
    ]
}
