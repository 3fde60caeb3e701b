// SPDX-License-Identifier: GPL-3.0-or-later

/// The guests and their visits.
public struct GuestSettings: Sendable, Equatable {
    /// How long nobody presses anything before a visit ends.
    public var idleSeconds = 120.0

    /// The defaults.
    public init() {}
}

extension GuestSettings: TableSettings {
    static let table = SettingsTable(
        "guest",
        "The guests. The photos of one visit have the same `sessionId`.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "idle_s", \.idleSeconds, .number(in: 5...86400, unit: "s"),
            """
            A visit ends after this time without a press; `end_session` in `[actions]` ends it at \
            once.
            """)
    ]
}
