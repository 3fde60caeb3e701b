// SPDX-License-Identifier: GPL-3.0-or-later

enum GuestKeys {
    static let table = SettingsTable(
        name: "guest", isList: false,
        help: "Guests: the photos of one visit bear the same `sessionId`.")
    static let idle = TypedKey.number(
        table, "idle_s", default: 120, in: 5...86400, unit: "s",
        help: "A visit ends when nobody has pressed a button for so long; `end_session` in "
            + "`[actions]` ends it at once.")
    static let all = [idle.key]
}
