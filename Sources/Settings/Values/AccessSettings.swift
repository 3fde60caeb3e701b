// SPDX-License-Identifier: GPL-3.0-or-later

/// The permissions at the control socket.
public struct AccessSettings: Sendable, Equatable {
    /// The access of a companion program to the library.
    public enum ServiceAccess: String, Sendable, CaseIterable {
        case addOnly = "add_only"
        case read
        case full
    }

    /// User names, and group names with a leading `@`.
    public typealias Accounts = [String]

    /// Accounts that see the photos of the current visit.
    public var guests: Accounts = []
    /// Accounts that see all photos.
    public var viewers: Accounts = []
    /// Accounts of companion programs.
    public var services: Accounts = []
    /// The access of ``services`` to the library.
    public var serviceAccess = ServiceAccess.addOnly

    /// The defaults.
    public init() {}
}

extension AccessSettings: TableSettings {
    static let table = SettingsTable(
        "access",
        """
        The rights of users at the running appliance. All must be in the socket's group, \
        `vitrine`. Its members may do everything unless a key here restricts them; root and the \
        appliance's own user always may. Each key lists user names, and group names with a leading \
        `@`, separated by spaces.
        """)
    static let fields: [SettingsField<Self>] = [
        .key(
            "guests", \.guests, .accounts,
            "Accounts that press the buttons and see the photos of the current visit."),
        .key(
            "viewers", \.viewers, .accounts,
            "Accounts that see all photos and the screen, and change nothing."),
        .key(
            "services", \.services, .accounts,
            "Accounts of programs. They press the buttons and do what `service_access` allows."),
        .key(
            "service_access", \.serviceAccess, .choice,
            """
            What `services` may do with the library: `add_only` adds photos and videos, `read` \
            sees all of them, `full` does both and changes what is known about them.
            """),
    ]
}
