// SPDX-License-Identifier: GPL-3.0-or-later

/// The files that are kept from URLs.
public struct CacheSettings: Sendable, Equatable {
    /// The folder of the files, absolute after `Settings.load(file:)`.
    public var path = "/var/cache/vitrine"
    /// The most megabytes of all files.
    public var quotaMegabytes = 512
    /// The most downloads at the same time.
    public var downloads = 4
    /// The seconds after which a download without progress ends.
    public var stallSeconds = 30
    /// The proxy's URL; `nil` for the one of the environment.
    public var proxy: String?
    /// A PEM file of the only certificates to trust; `nil` for the system's.
    public var certificates: String?

    /// The defaults.
    public init() {}
}

extension CacheSettings: TableSettings {
    static let table = SettingsTable(
        "cache",
        """
        Files from URLs, kept for times without a network. The service `vitrine-sync` fetches \
        those of `[[content]]`; `vitrine cache` fetches others.
        """)
    static let fields: [SettingsField<Self>] = [
        .key(
            "path", \.path, .text(.path),
            """
            The folder of the files. A relative path starts at the configuration file's folder. \
            Another folder than the default needs `ReadWritePaths=` in a drop-in of \
            `vitrine-sync.service`.
            """),
        .key(
            "quota_mb", \.quotaMegabytes, .integer(in: 1...10_000_000, unit: "MB"),
            """
            The most that the files take. Those that were used longest ago go first; files in \
            use and those of `[[content]]` stay.
            """),
        .key(
            "downloads", \.downloads, .integer(in: 1...64),
            "The most downloads at the same time."),
        .key(
            "stall_s", \.stallSeconds, .integer(in: 1...3600, unit: "s"),
            """
            A download ends after this time without a connection, or with less than 1 kB a \
            second. The next one goes on where it ended.
            """),
        .key(
            "proxy", \.proxy, .text(.url),
            """
            The proxy's URL, such as `http://proxy.example.org:3128`; empty for the one of the \
            environment (`https_proxy`).
            """),
        .key(
            "ca_file", \.certificates, .text(.file),
            """
            A PEM file of the only certificates to trust; empty for the system's.
            """),
    ]
}
