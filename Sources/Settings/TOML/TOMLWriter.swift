// SPDX-License-Identifier: GPL-3.0-or-later

/// Builds a TOML text, table by table.
struct TOMLWriter {
    private(set) var text = ""

    /// Starts a table: `[name]` or `[[name]]`.
    mutating func start(_ table: SettingsTable) {
        if !text.isEmpty { text += "\n" }
        text += "\(table.header)\n"
    }

    /// Writes the line `name = literal` unchanged.
    mutating func line(_ name: String, _ literal: String) {
        text += "\(name) = \(literal)\n"
    }
}
