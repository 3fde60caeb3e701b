// SPDX-License-Identifier: GPL-3.0-or-later

/// The screen and what people see on it.
public struct DisplaySettings: Sendable, Equatable {
    /// How the picture fills the screen, with AVFoundation's names.
    public enum Gravity: String, Sendable, CaseIterable {
        /// The whole picture, with bars.
        case resizeAspect
        /// Cropped, without bars.
        case resizeAspectFill
        /// Stretched.
        case resize
    }

    /// The DRM driver; nil for the first that has a connector.
    public var driver: String?
    /// The connector, such as `HDMI-A-1`; nil for the first with a display.
    public var connector: String?
    /// The screen's mode: `auto`, `native` or `WIDTHxHEIGHT`.
    public var mode: String
    /// The clockwise rotation of everything on the screen.
    public var rotation: MountRotation
    /// How the picture fills the screen.
    public var gravity: Gravity
    /// Whether the preview is mirrored.
    public var mirror: Bool
    /// Whether the screen shows `readyText`.
    public var readyHint: Bool
    /// Seconds from the press to the photo.
    public var countdownSeconds: Int
    /// How long the photo stays on the screen.
    public var reviewSeconds: Double
    /// Minutes without a press until the screen is switched off; 0 for never.
    public var offAfterMinutes: Int
    /// The path of a PNG picture shown at the start, absolute after `Settings.load(file:)`; empty
    /// for Vitrine's own.
    public var splash: String
    /// The text on the screen while it waits for a press.
    public var readyText: String
    /// The text on the screen once the photo is stored.
    public var savedText: String

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, DisplayKeys.table)
        driver = decoder.value(DisplayKeys.driver, in: table)
        connector = decoder.value(DisplayKeys.connector, in: table)
        mode = decoder.value(DisplayKeys.mode, in: table)
        rotation = decoder.value(DisplayKeys.rotation, in: table)
        gravity = decoder.value(DisplayKeys.gravity, in: table)
        mirror = decoder.value(DisplayKeys.mirror, in: table)
        readyHint = decoder.value(DisplayKeys.readyHint, in: table)
        countdownSeconds = decoder.value(DisplayKeys.countdown, in: table)
        reviewSeconds = decoder.value(DisplayKeys.review, in: table)
        offAfterMinutes = decoder.value(DisplayKeys.offAfter, in: table)
        splash = decoder.value(DisplayKeys.splash, in: table)
        readyText = decoder.value(DisplayKeys.readyText, in: table)
        savedText = decoder.value(DisplayKeys.savedText, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(DisplayKeys.table)
        writer.write(DisplayKeys.driver, driver)
        writer.write(DisplayKeys.connector, connector)
        writer.write(DisplayKeys.mode, mode)
        writer.write(DisplayKeys.rotation, rotation)
        writer.write(DisplayKeys.gravity, gravity)
        writer.write(DisplayKeys.mirror, mirror)
        writer.write(DisplayKeys.readyHint, readyHint)
        writer.write(DisplayKeys.countdown, countdownSeconds)
        writer.write(DisplayKeys.review, reviewSeconds)
        writer.write(DisplayKeys.offAfter, offAfterMinutes)
        writer.write(DisplayKeys.splash, splash)
        writer.write(DisplayKeys.readyText, readyText)
        writer.write(DisplayKeys.savedText, savedText)
    }
}
