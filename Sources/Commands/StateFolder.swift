// SPDX-License-Identifier: GPL-3.0-or-later

/// Where a program keeps what it remembers: systemd gives a service a folder (systemd.exec(5), StateDirectory=), others
/// have one of their own (XDG Base Directory Specification).
enum StateFolder {
    /// `nil` where there is none.
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
