// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The machine's users and groups by name.
public enum AccountDatabase {
    /// The effective user of this process.
    public static var currentUser: UInt32 { geteuid() }

    /// `nil` for a user that there is not. Corresponds to getpwnam_r(3).
    public static func user(named name: String) -> UInt32? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: longestEntry)
        let code = unsafe getpwnam_r(name, &entry, &text, text.count, &found)
        guard code == 0, unsafe found != nil else { return nil }
        return unsafe entry.pw_uid
    }

    /// `nil` for a group that there is not. Corresponds to getgrnam_r(3).
    public static func group(named name: String) -> UInt32? {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var text = [CChar](repeating: 0, count: longestEntry)
        let code = unsafe getgrnam_r(name, &entry, &text, text.count, &found)
        guard code == 0, unsafe found != nil else { return nil }
        return unsafe entry.gr_gid
    }

    /// Bytes; a group has its members' names in it.
    private static let longestEntry = 65_536
}
