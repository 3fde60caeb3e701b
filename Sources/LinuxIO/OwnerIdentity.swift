// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A switch of identity: root acts as the owner of a folder, so that new files belong to the owner.
/// It applies to the whole process, all threads, from `init` to ``end()``. The process then has the
/// owner's groups and none of root's rights (setgroups(2), setegid(2) and seteuid(2)).
public struct OwnerIdentity {
    private let groups: [gid_t]
    private let user: uid_t
    private let group: gid_t
    private let name: String?

    /// Switches to the owner of the folder, or of its parent if the folder is missing. Returns
    /// `nil` and changes nothing if this process is not root's or the owner is root.
    public init?(ofFolder path: String) throws(SystemCallError) {
        guard geteuid() == 0, let owner = try Self.owner(of: path), owner.user != 0 else {
            return nil
        }
        groups = try Self.currentGroups()
        user = owner.user
        (name, group) = Self.entry(of: owner.user) ?? (nil, owner.group)
        try begin()
    }

    private func begin() throws(SystemCallError) {
        if let name {
            try systemCall("initgroups", name) { unsafe initgroups(name, group) }
        } else {
            try systemCall("setgroups") { unsafe setgroups(1, [group]) }
        }
        try systemCall("setegid") { setegid(group) }
        try systemCall("seteuid") { seteuid(user) }
    }

    /// Runs `body` as root, then acts as the owner again.
    public func asRoot<Value>(_ body: () async throws -> Value) async throws -> Value {
        try end()
        do {
            let value = try await body()
            try begin()
            return value
        } catch {
            try begin()
            throw error
        }
    }

    /// Acts as root again.
    public func end() throws(SystemCallError) {
        try systemCall("seteuid") { seteuid(0) }
        try systemCall("setegid") { setegid(getgid()) }
        try systemCall("setgroups") { unsafe setgroups(groups.count, groups) }
    }

    private static func owner(
        of path: String
    ) throws(SystemCallError) -> (user: uid_t, group: gid_t)? {
        var status = stat()
        for folder in [path, PathName(path).parent] {
            do {
                try systemCall("stat", folder) { unsafe stat(folder, &status) }
                return (status.st_uid, status.st_gid)
            } catch {
                guard error.code == ENOENT else { throw error }
            }
        }
        return nil
    }

    private static func currentGroups() throws(SystemCallError) -> [gid_t] {
        let count = try systemCall("getgroups") { getgroups(0, nil) }
        var groups = [gid_t](repeating: 0, count: Int(count))
        try systemCall("getgroups") { unsafe getgroups(count, &groups) }
        return groups
    }

    /// Returns the name and group of a user; `nil` if the user database does not know the user.
    private static func entry(of user: uid_t) -> (name: String?, group: gid_t)? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 16_384)
        let code = unsafe getpwuid_r(user, &entry, &text, text.count, &found)
        guard code == 0, unsafe found != nil, let name = unsafe entry.pw_name else { return nil }
        return (unsafe String(cString: name), unsafe entry.pw_gid)
    }
}
