// SPDX-License-Identifier: GPL-3.0-or-later

/// A lamp that is lit while a press is welcome.
public struct LampSettings: Sendable, Equatable {
    /// The lamp's GPIO line; nil is no lamp.
    public var ready: GPIOLineName?
    /// Whether the lamp is lit while its line is low.
    public var activeLow: Bool

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, LampKeys.table)
        ready = decoder.value(LampKeys.ready, in: table)
        activeLow = decoder.value(LampKeys.activeLow, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(LampKeys.table)
        writer.write(LampKeys.ready, ready)
        writer.write(LampKeys.activeLow, activeLow)
    }
}
