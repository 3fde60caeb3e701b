// SPDX-License-Identifier: GPL-3.0-or-later

/// The guests and their visits.
public struct GuestSettings: Sendable, Equatable {
    /// How long nobody presses anything before a visit ends.
    public var idleSeconds: Double

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, GuestKeys.table)
        idleSeconds = decoder.value(GuestKeys.idle, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(GuestKeys.table)
        writer.write(GuestKeys.idle, idleSeconds)
    }
}
