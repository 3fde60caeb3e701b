// SPDX-License-Identifier: GPL-3.0-or-later

enum LogKeys {
    static let table = SettingsTable(name: "log", isList: false, help: "The log.")
    static let level = TypedKey<LogSettings.Level>.choice(
        table, "level", default: .info, help: "The lowest level of messages that are written.")
    static let all = [level.key]
}
