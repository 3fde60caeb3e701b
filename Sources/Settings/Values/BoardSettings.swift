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
    public var name = ""
    /// The kind of devices that the board has.
    public var kind = Kind.hardware

    /// The defaults.
    public init() {}
}

extension BoardSettings: TableSettings {
    static let table = SettingsTable("board", "The machine that Vitrine runs on.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "name", \.name, .text(.line),
            "The board's name in status; empty for the machine's model."),
        .key(
            "kind", \.kind, .choice,
            """
            `hardware` uses the kernel's devices. `simulated` has a screen in memory and a virtual \
            panel, and uses no device.
            """),
    ]
}
