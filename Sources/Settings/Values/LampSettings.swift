// SPDX-License-Identifier: GPL-3.0-or-later

/// The lamps on the kiosk's case.
public struct LampSettings: Sendable, Equatable {
    /// The line of the lamp that is lit while the kiosk is ready for a press; nil for no lamp.
    public var ready: GPIOLineName?
    /// The line of the lamp that is lit while a clip is recorded; nil for no lamp.
    public var recording: GPIOLineName?
    /// The line of the lamp that flashes while something is wrong; nil for no lamp.
    public var fault: GPIOLineName?
    /// Whether a lamp is lit while its line is low.
    public var activeLow = false

    /// The defaults.
    public init() {}
}

extension LampSettings: TableSettings {
    static let table = SettingsTable("lamp", "The lamps of the kiosk's case.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "ready", \.ready, .line,
            """
            The GPIO line of a lamp that is lit while a press is welcome, as in `[[button]]`; \
            empty for none. Without a fault lamp it flashes while no photos can be taken.
            """),
        .key(
            "recording", \.recording, .line,
            "The GPIO line of a lamp that is lit while a clip is recorded; empty for none."),
        .key(
            "fault", \.fault, .line,
            """
            The GPIO line of a lamp that flashes while something is wrong; empty for none. It \
            flashes once for the camera, twice for the library, three times for the display, four \
            times for a button or lamp, five times for anything else.
            """),
        .key(
            "active_low", \.activeLow, .boolean,
            "Whether the lamps are lit while their lines are low."),
    ]
}
