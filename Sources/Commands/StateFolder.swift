// SPDX-License-Identifier: GPL-3.0-or-later

/// The folder for a program's state. A service has the one that systemd provides (systemd.exec(5),
/// StateDirectory=), other programs one of their own (XDG Base Directory Specification).
enum StateFolder {
    static func path(_ environment: [String: String]) -> String? {
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            return String(given)
        }
        if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") {
            return "\(home)/vitrine"
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state/vitrine"
    }
}
