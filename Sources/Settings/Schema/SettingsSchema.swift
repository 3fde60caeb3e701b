// SPDX-License-Identifier: GPL-3.0-or-later

/// Every table and key of the configuration file. This is the only place for defaults and ranges:
/// decoding, `config check`, the reference page and forms read them from here.
public enum SettingsSchema {
    /// All tables, in the order in which a file lists them.
    public static let tables: [SettingsTable] = [
        LibraryKeys.table, CameraKeys.table, CameraKeys.Match.table, DisplayKeys.table,
        SecondDisplayKeys.table, ButtonKeys.table, ActionKeys.table, GestureKeys.table,
        LampKeys.table, FlashKeys.table,
        PhotoKeys.table, RecordingKeys.table, TimelapseKeys.table, DetectionKeys.table,
        GuestKeys.table,
        AccessKeys.table, BoardKeys.table, LogKeys.table,
    ]

    /// All keys, in the order in which a file lists them.
    public static let keys: [SettingsKey] =
        LibraryKeys.all + CameraKeys.all + CameraKeys.Match.all + DisplayKeys.all
        + SecondDisplayKeys.all + ButtonKeys.all + ActionKeys.all + GestureKeys.all + LampKeys.all
        + FlashKeys.all
        + PhotoKeys.all + RecordingKeys.all + TimelapseKeys.all + DetectionKeys.all
        + GuestKeys.all
        + AccessKeys.all + BoardKeys.all + LogKeys.all

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
