// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library
package import LinuxIO
package import Settings

/// Who is at the other end of the control socket, for the photos' sake.
public enum AccessRole: String, Sendable, Codable, CaseIterable {
    /// Sees the photos of the visit that is going on, and takes some.
    case guest
    /// Sees all photos.
    case viewer
    /// A program; the configuration says what it may do.
    case service
    /// May do everything.
    case `operator`
}

/// Finds the role of who asks. Root and the appliance's own user are operators, and so is everybody of the
/// socket's group whom the configuration does not name otherwise. A user's name comes before those of groups; of
/// several groups the one with the fewest rights counts.
package struct AccessPolicy: Sendable {
    private let users: [UInt32: AccessRole]
    private let groups: [(number: UInt32, role: AccessRole)]
    private let owner: UInt32
    private let serviceAccess: AccessSettings.ServiceAccess
    /// Names in the configuration that the machine does not know.
    package let unknown: [String]

    package init(_ settings: AccessSettings, owner: UInt32) {
        var users: [UInt32: AccessRole] = [:]
        var groups: [(UInt32, AccessRole)] = []
        var unknown: [String] = []
        // From the fewest rights to the most.
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

    /// - Parameter peer: `nil` for the appliance itself.
    package func role(of peer: PeerCredentials?) -> AccessRole {
        guard let peer, peer.user != 0, peer.user != owner else { return .operator }
        if let role = users[peer.user] { return role }
        return groups.first { peer.groups.contains($0.number) }?.role ?? .operator
    }

    /// - Parameters:
    ///   - hasVisit: whether a guest is there.
    ///   - isWritable: whether the library takes changes.
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
