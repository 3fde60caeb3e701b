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
    public var activeLow: Bool

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, LampKeys.table)
        ready = decoder.value(LampKeys.ready, in: table)
        recording = decoder.value(LampKeys.recording, in: table)
        fault = decoder.value(LampKeys.fault, in: table)
        activeLow = decoder.value(LampKeys.activeLow, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(LampKeys.table)
        writer.write(LampKeys.ready, ready)
        writer.write(LampKeys.recording, recording)
        writer.write(LampKeys.fault, fault)
        writer.write(LampKeys.activeLow, activeLow)
    }
}
