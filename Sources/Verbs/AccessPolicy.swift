// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
package import Library
package import LinuxIO
package import Settings

/// The role of a client of the control socket.
public enum AccessRole: String, Sendable, Codable, CaseIterable {
    /// Takes photos, and sees those of the current visit.
    case guest
    /// Sees all photos.
    case viewer
    /// A program with the configured rights.
    case service
    /// The service that sends copies to a remote.
    case sync
    /// May do everything.
    case `operator`
}

/// Finds the role of a client. The user `vitrine-sync` has a role of its own. Root and the
/// appliance's own user are operators, and so is every member of the socket's group whom the
/// configuration does not name. A user's name counts before groups, and the group with the fewest
/// rights before others.
package struct AccessPolicy: Sendable {
    private let users: [UInt32: AccessRole]
    private let groups: [(number: UInt32, role: AccessRole)]
    private let owner: UInt32
    /// The user of `vitrine-sync.service`; `nil` if there is none on this machine.
    private let syncUser = AccountDatabase.user(named: "vitrine-sync")
    private let serviceAccess: AccessSettings.ServiceAccess
    /// The configured names that do not exist on this machine.
    package let unknown: [String]

    package init(_ settings: AccessSettings, owner: UInt32) {
        var users: [UInt32: AccessRole] = [:]
        var groups: [(UInt32, AccessRole)] = []
        var unknown: [String] = []
        // The order is from the fewest rights to the most.
        let named: [(AccessRole, [String])] = [
            (.guest, settings.guests), (.viewer, settings.viewers), (.service, settings.services),
        ]
        for (role, names) in named {
            for name in names {
                if name.hasPrefix("@") {
                    guard let group = AccountDatabase.group(named: String(name.dropFirst())) else {
                        unknown.append(name)
                        continue
                    }
                    groups.append((group, role))
                } else if let user = AccountDatabase.user(named: name) {
                    if users[user] == nil { users[user] = role }
                } else {
                    unknown.append(name)
                }
            }
        }
        self.users = users
        self.groups = groups
        self.owner = owner
        self.unknown = unknown
        serviceAccess = settings.serviceAccess
    }

    /// Returns the role of a client; `nil` is the appliance itself.
    package func role(of peer: PeerCredentials?) -> AccessRole {
        guard let peer, peer.user != 0, peer.user != owner else { return .operator }
        if peer.user == syncUser { return .sync }
        if let role = users[peer.user] { return role }
        return groups.first { peer.groups.contains($0.number) }?.role ?? .operator
    }

    /// Returns what a role may do. `hasVisit` tells whether a guest is present, `isWritable`
    /// whether the library takes changes.
    func status(
        of role: AccessRole, for level: LibraryAccessLevel, hasVisit: Bool, isWritable: Bool
    ) -> AuthorizationStatus {
        let allowed: AuthorizationStatus =
            switch (role, level) {
            case (.operator, _): .authorized
            case (.viewer, .read): .authorized
            case (.guest, .read): hasVisit ? .limited : .notDetermined
            case (.service, .addOnly): serviceAccess == .read ? .denied : .authorized
            case (.service, .read): serviceAccess == .addOnly ? .denied : .authorized
            case (.service, .readWrite): serviceAccess == .full ? .authorized : .denied
            default: .denied
            }
        return allowed == .authorized && level != .read && !isWritable ? .restricted : allowed
    }
}

/// The client of a request, and the rights that each verb needs.
package struct Caller: Sendable {
    let role: AccessRole
    let policy: AccessPolicy
    /// The name of the current visit; `nil` if no guest is present.
    let session: String?

    package init(role: AccessRole, policy: AccessPolicy, session: String?) {
        self.role = role
        self.policy = policy
        self.session = session
    }

    /// Returns the answer of the verb `library.access`.
    package func report(isWritable: Bool) -> LibraryAccessReport {
        func status(_ level: LibraryAccessLevel) -> AuthorizationStatus {
            policy.status(
                of: role, for: level, hasVisit: session != nil, isWritable: isWritable)
        }
        return LibraryAccessReport(
            role: role, addOnly: status(.addOnly), read: status(.read),
            readWrite: status(.readWrite))
    }

    /// Checks the client's rights; throws `access.denied`, 77.
    package func require(_ verb: String) throws(CommandError) {
        switch verb {
        case "status", "library.access": return
        case let verb where role == .sync: if verb.hasPrefix("sync.") { return }
        // Everybody before the kiosk can press its button.
        case "press", "capture.photo", "capture.bracket", "capture.burst", "capture.loop",
            "capture.movie":
            if role != .viewer { return }
        case "screenshot": if role == .viewer || role == .operator { return }
        case "library.attach", "library.folder", "library.hasAlternate", "library.holder",
            "library.take":
            if may(.addOnly) { return }
        case "library.count", "library.list", "library.page", "library.picture", "library.show":
            if role == .guest || may(.read) { return }
        case "library.changes", "library.collections", "library.statistics", "library.snapshots",
            "library.verify":
            if may(.read) { return }
        // Every change of the library, deletion included.
        case "library.perform": if may(.readWrite) { return }
        default: if role == .operator { return }
        }
        throw CommandError(
            "access.denied", "\(verb): not for a \(role.rawValue)",
            next: "See: vitrine library access; who may what is in [access] of the configuration.",
            exit: .notPermitted)
    }

    private func may(_ level: LibraryAccessLevel) -> Bool {
        policy.status(of: role, for: level, hasVisit: true, isWritable: true) == .authorized
    }

    /// The filter for what a guest may see; `nil` for everything.
    package var limit: AssetFilter? {
        guard role == .guest else { return nil }
        // Without a visit, a guest sees nothing.
        return session.map { AssetFilter.sessionID == $0 } ?? AssetFilter.any([])
    }
}
