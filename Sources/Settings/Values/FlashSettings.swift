// SPDX-License-Identifier: GPL-3.0-or-later

/// A light that is on around the shutter moment.
public struct FlashSettings: Sendable, Equatable {
    /// When the light goes on before a photo with a countdown.
    public enum Start: String, Sendable, CaseIterable {
        /// ``leadMilliseconds`` before the photo.
        case lead
        /// At the start of the countdown, as a ring light that people get used to.
        case countdown
    }

    /// The light's GPIO line; nil for no light.
    public var line: GPIOLineName?
    /// Whether the light is on while its line is low.
    public var activeLow = false
    /// How long before the end of a countdown the light goes on.
    public var leadMilliseconds = 100
    /// When the light goes on before a photo with a countdown.
    public var start = Start.lead
    /// How long the light may stay on, counted anew from each photo's lead. It exceeds the lead by
    /// more than 50 ms.
    public var maximumMilliseconds = 1000

    /// The defaults.
    public init() {}
}

extension FlashSettings: TableSettings {
    static let table = SettingsTable("flash", "A light that is on around the shutter moment.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "line", \.line, .line,
            "The GPIO line of the light, as in `[[button]]`; empty for none."),
        .key("active_low", \.activeLow, .boolean, "Whether the light is on while its line is low."),
        .key(
            "lead_ms", \.leadMilliseconds, .integer(in: 0...2000, unit: "ms"),
            """
            How long before the photo the light goes on: the time that it needs to reach full \
            brightness, plus two frames. Without a countdown the light goes on at the press, and \
            the photo is this much later.
            """),
        .key(
            "on", \.start, .choice,
            """
            When the light goes on before a photo with a countdown: `lead_ms` before the photo \
            (`lead`), or when the countdown begins (`countdown`).
            """),
        .key(
            "maximum_ms", \.maximumMilliseconds, .integer(in: 1...10000, unit: "ms"),
            "The longest time that the light stays on, counted for each photo from its lead."),
    ]
}
