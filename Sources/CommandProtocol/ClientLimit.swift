// SPDX-License-Identifier: GPL-3.0-or-later

/// How many clients a ``ControlServer`` has at a time: of one user not so many that others find no room, and of all
/// users not so many that root and the appliance's own do not.
package struct ClientLimit {
    /// Each has a thread.
    package static let most = 32
    /// Of one user who is neither root nor the appliance's own.
    package static let mostOfOneUser = 8
    /// Of all those users.
    package static let mostOfUsers = 24

    private let owner: UInt32

    /// - Parameter owner: the appliance's own user.
    package init(owner: UInt32) { self.owner = owner }

    /// Whether one more of `user` finds room beside clients of `others`.
    package func hasRoom(for user: UInt32, beside others: [UInt32]) -> Bool {
        guard others.count < Self.most else { return false }
        if isPrivileged(user) { return true }
        return others.filter { !isPrivileged($0) }.count < Self.mostOfUsers
            && others.filter { $0 == user }.count < Self.mostOfOneUser
    }

    private func isPrivileged(_ user: UInt32) -> Bool { user == 0 || user == owner }
}
