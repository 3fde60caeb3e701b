// SPDX-License-Identifier: GPL-3.0-or-later

/// Every table and key of the configuration file. `config check`, the reference page and forms read
/// names, defaults and ranges from here. A new key is a property and a line of `fields` in the file
/// of its table in `Values/`; tests compare the reference page and the shipped `vitrine.toml`.
public enum SettingsSchema {
    /// All tables, in the order in which a file lists them.
    public static let tables = SettingsPart.all.map(\.table)

    /// All keys, in the order in which a file lists them.
    public static let keys = SettingsPart.all.flatMap(\.keys)

    /// Returns a reference page in Markdown: every table with its keys.
    public static func reference() -> String {
        var page = "# Configuration reference\n\n"
        page += "One TOML file, `/etc/vitrine/vitrine.toml`. Every key may be left out.\n"
        page += "A `[[…]]` table may appear several times. A file without one has one with the\n"
        page += "defaults, and `camera = []` at the top of the file means none.\n"
        for table in tables {
            page += "\n## `\(table.header)`\n\n\(table.help)\n\n"
            page += "| key | type | default | allowed | meaning |\n"
            page += "| --- | --- | --- | --- | --- |\n"
            for key in keys where key.table == table.name {
                let cells = [
                    "`\(key.name)`", key.type.rawValue, "`\(key.defaultValue)`",
                    key.allowedText, key.help,
                ]
                let row = cells.map { $0.replacing("|", with: "\\|") }
                page += "| \(row.joined(separator: " | ")) |\n"
            }
        }
        return page
    }
}
