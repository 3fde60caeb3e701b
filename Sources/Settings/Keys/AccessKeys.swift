// SPDX-License-Identifier: GPL-3.0-or-later

enum AccessKeys {
    static let table = SettingsTable(
        name: "access", isList: false,
        help:
            "The rights of users at the running appliance. All must be in the socket's group, "
            + "`vitrine`. Its members may do everything unless a key here restricts them; root and "
            + "the appliance's own user always may. Each key lists user names, and group names "
            + "with a leading `@`, separated by spaces.")
    static let guests = TypedKey.text(
        table, "guests", default: "", .line,
        help: "Accounts that press the buttons and see the photos of the current visit.")
    static let viewers = TypedKey.text(
        table, "viewers", default: "", .line,
        help: "Accounts that see all photos and the screen, and change nothing.")
    static let services = TypedKey.text(
        table, "services", default: "", .line,
        help: "Accounts of programs. They press the buttons and do what `service_access` allows.")
    static let serviceAccess = TypedKey<AccessSettings.ServiceAccess>.choice(
        table, "service_access", default: .addOnly,
        help:
            "What `services` may do with the library: `add_only` adds photos and videos, `read` "
            + "sees all of them, `full` does both and changes what is known about them.")
    static let all = [guests.key, viewers.key, services.key, serviceAccess.key]
}
