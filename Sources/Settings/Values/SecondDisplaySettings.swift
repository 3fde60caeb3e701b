// SPDX-License-Identifier: GPL-3.0-or-later

/// A second display, which shows only the camera's picture.
public struct SecondDisplaySettings: Sendable, Equatable {
    /// The DRM driver; nil for the first that has the connector.
    public var driver: String?
    /// The connector, such as `HDMI-A-2`; nil for no second display.
    public var connector: String?
    /// The screen's mode: `auto`, `native` or `WIDTHxHEIGHT`.
    public var mode: String
    /// The clockwise rotation of the picture.
    public var rotation: MountRotation
    /// How the picture fills the screen.
    public var gravity: DisplaySettings.Gravity
    /// Whether the picture is mirrored.
    public var mirror: Bool

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, SecondDisplayKeys.table)
        driver = decoder.value(SecondDisplayKeys.driver, in: table)
        connector = decoder.value(SecondDisplayKeys.connector, in: table)
        mode = decoder.value(SecondDisplayKeys.mode, in: table)
        rotation = decoder.value(SecondDisplayKeys.rotation, in: table)
        gravity = decoder.value(SecondDisplayKeys.gravity, in: table)
        mirror = decoder.value(SecondDisplayKeys.mirror, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(SecondDisplayKeys.table)
        writer.write(SecondDisplayKeys.driver, driver)
        writer.write(SecondDisplayKeys.connector, connector)
        writer.write(SecondDisplayKeys.mode, mode)
        writer.write(SecondDisplayKeys.rotation, rotation)
        writer.write(SecondDisplayKeys.gravity, gravity)
        writer.write(SecondDisplayKeys.mirror, mirror)
    }
}
