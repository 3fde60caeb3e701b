// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A claim on a file that others must not remove: a shared flock(2), which ends with its owner,
/// even a killed one. Whoever removes such files does so by ``removeUnlessLeased(_:)``.
public final class FileLease: Sendable {
    /// The path of the file.
    public let path: String
    private let descriptor: OwnedDescriptor

    /// Takes a lease; `nil` if the file is missing or about to be removed.
    public init?(_ path: String) throws(SystemCallError) {
        let file: OwnedDescriptor
        do {
            file = try OwnedDescriptor(open: path, flags: O_RDONLY | O_NOFOLLOW)
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
        guard flock(file.number, LOCK_SH | LOCK_NB) == 0, file.isAt(path) else {
            return nil
        }
        descriptor = file
        self.path = path
    }

    init(adopting descriptor: consuming OwnedDescriptor, at path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Removes a file that nobody has a lease on or writes; returns whether it is gone.
    @discardableResult
    public static func removeUnlessLeased(_ path: String) throws(SystemCallError) -> Bool {
        let file: OwnedDescriptor
        do {
            file = try OwnedDescriptor(open: path, flags: O_RDONLY | O_NOFOLLOW)
        } catch {
            guard error.code == ENOENT else { throw error }
            return true
        }
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { return false }
        if file.isAt(path) { try FileTree.remove(path) }
        return true
    }
}
