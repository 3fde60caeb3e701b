// SPDX-License-Identifier: GPL-3.0-or-later

/// The most clients that a ``ControlServer`` serves at once. No single user can take every place,
/// and all ordinary users together leave room for root and the appliance's own user.
package struct ClientLimit {
    /// The most clients in all; each has a thread.
    package static let most = 32
    /// The most clients of one user other than root and the appliance's own.
    package static let mostOfOneUser = 8
    /// The most clients of all such users together.
    package static let mostOfUsers = 24

    private let owner: UInt32

    package init(owner: UInt32) { self.owner = owner }

    /// Whether another client of `user` may join clients of the users `others`.
    package func hasRoom(for user: UInt32, beside others: [UInt32]) -> Bool {
        guard others.count < Self.most else { return false }
        if isPrivileged(user) { return true }
        return others.filter { !isPrivileged($0) }.count < Self.mostOfUsers
            && others.filter { $0 == user }.count < Self.mostOfOneUser
    }

    private func isPrivileged(_ user: UInt32) -> Bool { user == 0 || user == owner }
}
