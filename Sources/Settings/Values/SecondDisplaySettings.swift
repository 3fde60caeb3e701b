// SPDX-License-Identifier: GPL-3.0-or-later

/// Another display, which shows the camera's picture and nothing else.
public struct SecondDisplaySettings: Sendable, Equatable {
    /// The DRM driver; nil is the first that has the connector.
    public var driver: String?
    /// The connector, such as `HDMI-A-2`; nil is no second display.
    public var connector: String?
    /// `auto`, `native` or `WIDTHxHEIGHT`.
    public var mode: String
    /// How far the picture is turned.
    public var rotation: MountRotation
    /// How the picture fills the screen.
    public var gravity: DisplaySettings.Gravity
    /// Whether it is shown like a looking glass.
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
