// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The machine's users and groups by name.
public enum AccountDatabase {
    /// The effective user id of this process.
    public static var currentUser: UInt32 { geteuid() }

    /// Returns a user's id; `nil` if there is no such user. Corresponds to getpwnam_r(3).
    public static func user(named name: String) -> UInt32? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: longestEntry)
        let code = unsafe getpwnam_r(name, &entry, &text, text.count, &found)
        guard code == 0, unsafe found != nil else { return nil }
        return unsafe entry.pw_uid
    }

    /// Returns a group's id; `nil` if there is no such group. Corresponds to getgrnam_r(3).
    public static func group(named name: String) -> UInt32? {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var text = [CChar](repeating: 0, count: longestEntry)
        let code = unsafe getgrnam_r(name, &entry, &text, text.count, &found)
        guard code == 0, unsafe found != nil else { return nil }
        return unsafe entry.gr_gid
    }

    /// The size of the buffer for one entry, in bytes. A group's entry contains its members' names.
    private static let longestEntry = 65_536
}
