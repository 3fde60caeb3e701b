// SPDX-License-Identifier: GPL-3.0-or-later

/// Content from a URL that the kiosk uses, also without a network.
public struct ContentSettings: Sendable, Equatable {
    /// The use of the content.
    public enum Kind: String, Sendable, CaseIterable {
        /// A picture shown at the start, before ``DisplaySettings/splash``.
        case splash
        /// A picture behind the texts that fill the screen.
        case background
        /// A file that is only kept.
        case file
    }

    /// The URL.
    public var url = ""
    /// The use of the content.
    public var kind = Kind.file
    /// The seconds for which the content is fresh.
    public var lifetimeSeconds = 3600
    /// The SHA-256 of the content, 64 hexadecimal digits; `nil` for any content.
    public var sha256: String?

    /// The defaults.
    public init() {}
}

extension ContentSettings: TableSettings {
    static let table = SettingsTable(
        "content", isList: true,
        """
        Content from a URL, which the service `vitrine-sync` fetches and keeps in `[cache]`. A \
        stale file stays until there is a newer one.
        """)
    static let fields: [SettingsField<Self>] = [
        .key(
            "url", \.url, .text(.url),
            "The absolute URL, of `http` or `https`."),
        .key(
            "kind", \.kind, .choice,
            """
            The use: a PNG or JPEG picture while the kiosk starts, instead of `display.splash` \
            (`splash`), or behind the texts that fill the screen (`background`), or a file that is \
            only kept (`file`).
            """),
        .key(
            "lifetime_s", \.lifetimeSeconds, .integer(in: 1...31_536_000, unit: "s"),
            """
            How long the content is fresh after its download. Then the server is asked whether \
            there is a newer one.
            """),
        .key(
            "sha256", \.sha256, .text(.sha256),
            "The SHA-256 of the content; other content is refused. Empty for any content."),
    ]
}
