// SPDX-License-Identifier: GPL-3.0-or-later

/// The machine that Vitrine runs on.
public struct BoardSettings: Sendable, Equatable {
    /// The kind of devices that the board has.
    public enum Kind: String, Sendable, CaseIterable {
        /// The kernel's devices.
        case hardware
        /// A screen in memory and a virtual panel.
        case simulated
    }

    /// The board's name in `status`; empty for the machine's model.
    public var name: String
    /// The kind of devices that the board has.
    public var kind: Kind

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, BoardKeys.table)
        name = decoder.value(BoardKeys.name, in: table)
        kind = decoder.value(BoardKeys.kind, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(BoardKeys.table)
        writer.write(BoardKeys.name, name)
        writer.write(BoardKeys.kind, kind)
    }
}
