// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A user of the machine, with all groups that the user database lists for it.
public struct Account: Sendable {
    /// The login name.
    public let name: String
    private let user: UInt32
    private let groups: [UInt32]

    /// Looks up a user; `nil` if there is none. Corresponds to getpwnam_r(3) and getgrouplist(3).
    public init?(named name: String) {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 16_384)
        let code = unsafe getpwnam_r(name, &entry, &text, text.count, &found)
        guard code == 0, unsafe found != nil else { return nil }
        var count: CInt = 256
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard unsafe getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else { return nil }
        self.init(name: name, user: unsafe entry.pw_uid, groups: Array(groups.prefix(Int(count))))
    }

    package init(name: String, user: UInt32, groups: [UInt32]) {
        (self.name, self.user, self.groups) = (name, user, groups)
    }

    /// Returns whether the file's mode lets the user read and write it; ignores access control
    /// lists. Throws the error of stat(2).
    public func mayReadAndWrite(_ path: String) throws(SystemCallError) -> Bool {
        if user == 0 { return true }
        var status = stat()
        try systemCall("stat", path) { unsafe stat(path, &status) }
        let bits: mode_t =
            if status.st_uid == user {
                0o600
            } else if groups.contains(status.st_gid) {
                0o060
            } else {
                0o006
            }
        return status.st_mode & bits == bits
    }
}
