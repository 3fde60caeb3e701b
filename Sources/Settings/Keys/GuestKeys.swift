// SPDX-License-Identifier: GPL-3.0-or-later

enum GuestKeys {
    static let table = SettingsTable(
        name: "guest", isList: false,
        help: "The guests. The photos of one visit have the same `sessionId`.")
    static let idle = TypedKey.number(
        table, "idle_s", default: 120, in: 5...86400, unit: "s",
        help:
            "A visit ends after this time without a press; `end_session` in `[actions]` ends it at "
            + "once.")
    static let all = [idle.key]
}
