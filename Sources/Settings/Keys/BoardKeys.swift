// SPDX-License-Identifier: GPL-3.0-or-later

enum BoardKeys {
    static let table = SettingsTable(
        name: "board", isList: false, help: "The machine that Vitrine runs on.")
    static let name = TypedKey.text(
        table, "name", default: "", .line,
        help: "The board's name in status; empty for the machine's model.")
    static let kind = TypedKey<BoardSettings.Kind>.choice(
        table, "kind", default: .hardware,
        help:
            "`hardware` uses the kernel's devices. `simulated` has a screen in memory and a "
            + "virtual panel, and uses no device.")
    static let all = [name.key, kind.key]
}
