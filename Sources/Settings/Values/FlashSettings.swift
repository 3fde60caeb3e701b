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
    public var activeLow: Bool
    /// How long before the end of a countdown the light goes on.
    public var leadMilliseconds: Int
    /// When the light goes on before a photo with a countdown.
    public var start: Start
    /// How long the light may stay on, counted anew from each photo's lead. It exceeds the lead by
    /// more than 50 ms.
    public var maximumMilliseconds: Int

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, FlashKeys.table)
        line = decoder.value(FlashKeys.line, in: table)
        activeLow = decoder.value(FlashKeys.activeLow, in: table)
        leadMilliseconds = decoder.value(FlashKeys.lead, in: table)
        start = decoder.value(FlashKeys.start, in: table)
        maximumMilliseconds = decoder.value(FlashKeys.maximum, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(FlashKeys.table)
        writer.write(FlashKeys.line, line)
        writer.write(FlashKeys.activeLow, activeLow)
        writer.write(FlashKeys.lead, leadMilliseconds)
        writer.write(FlashKeys.start, start)
        writer.write(FlashKeys.maximum, maximumMilliseconds)
    }
}
