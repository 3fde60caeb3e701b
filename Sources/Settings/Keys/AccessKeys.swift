// SPDX-License-Identifier: GPL-3.0-or-later

enum AccessKeys {
    static let table = SettingsTable(
        name: "access", isList: false,
        help: "Who may do what through a running appliance. All must be in the socket's group, "
            + "`vitrine`, whose members may do everything unless they are named here; root and the "
            + "appliance's own user always may. Names of users, and of groups behind `@`, with spaces "
            + "in between.")
    static let guests = TypedKey.text(
        table, "guests", default: "", .line,
        help: "They press the buttons and see the photos of the visit that is going on.")
    static let viewers = TypedKey.text(
        table, "viewers", default: "", .line,
        help: "They see all photos and what the screen shows, and change nothing.")
    static let services = TypedKey.text(
        table, "services", default: "", .line,
        help: "Programs; they press the buttons, and `service_access` says what else.")
    static let serviceAccess = TypedKey<AccessSettings.ServiceAccess>.choice(
        table, "service_access", default: .addOnly,
        help: "What programs may do with the library: `add_only` photos and videos, `read` all, or "
            + "`full`: both, and change what is known of them.")
    static let all = [guests.key, viewers.key, services.key, serviceAccess.key]
}
