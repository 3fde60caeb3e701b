// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
public import Library

/// Who asks, and for which level each verb asks.
package struct Caller: Sendable {
    let role: AccessRole
    let policy: AccessPolicy
    /// The guest's visit that is going on.
    let session: String?

    package init(role: AccessRole, policy: AccessPolicy, session: String?) {
        self.role = role
        self.policy = policy
        self.session = session
    }

    /// What somebody may do with the library, as ``LibraryAccessReport``; the verb `library.access`.
    package func report(isWritable: Bool) -> LibraryAccessReport {
        func status(_ level: LibraryAccessLevel) -> AuthorizationStatus {
            policy.status(
                of: role, for: level, hasVisit: session != nil, isWritable: isWritable)
        }
        return LibraryAccessReport(
            role: role, addOnly: status(.addOnly), read: status(.read),
            readWrite: status(.readWrite))
    }

    /// - Throws: `access.denied`, 77.
    package func require(_ verb: String) throws(CommandError) {
        switch verb {
        case "status", "library.access": return
        // Whoever stands before the kiosk presses its button.
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

    /// What is all that a guest sees; `nil` for everything.
    package var limit: AssetFilter? {
        guard role == .guest else { return nil }
        // Where nobody is there, nothing.
        return session.map { AssetFilter.sessionID == $0 } ?? AssetFilter.any([])
    }
}

/// What who asks may do with the library. As JSON the answer of `vitrine library access`.
public struct LibraryAccessReport: Sendable, Codable, Equatable {
    /// Of who asks; `nil` where no appliance runs, and the rights of the files decide.
    public let role: AccessRole?
    /// Importing.
    public let addOnly: AuthorizationStatus
    /// Looking at photos.
    public let read: AuthorizationStatus
    /// Changing what is known of them.
    public let readWrite: AuthorizationStatus

    /// Of the given parts.
    public init(
        role: AccessRole?, addOnly: AuthorizationStatus, read: AuthorizationStatus,
        readWrite: AuthorizationStatus
    ) {
        self.role = role
        self.addOnly = addOnly
        self.read = read
        self.readWrite = readWrite
    }
}
