// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// An exclusive lock on a folder: an flock(2) on a file with the holder's process id. The lock ends
/// with its owner, even a killed one. Children do not inherit it (`O_CLOEXEC`).
public struct FolderLock: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    /// Whether the file system is read-only; the lock holds, but the file does not name us.
    public let isReadOnly: Bool

    /// The reason why a lock could not be taken.
    public enum Failure: Error, Sendable {
        /// Another open lock holds it. The process id is `nil` if it could not be read.
        case held(by: Int32?)
        /// The lock file could not be opened, locked or written.
        case refused(SystemCallError)
    }

    /// Takes the lock at once or throws.
    public init(at path: String) throws(Failure) {
        do {
            descriptor = try FolderLock.lock(path, O_RDWR | O_CREAT)
            isReadOnly = false
        } catch {
            guard case .refused(let refusal) = error, refusal.code == EROFS else { throw error }
            do {
                descriptor = try FolderLock.lock(path, O_RDONLY)
            } catch .held {
                // The file names its last writer, not necessarily the holder.
                throw .held(by: nil)
            } catch {
                // The lock file does not exist; `EROFS` is the better reason.
                throw .refused(refusal)
            }
            isReadOnly = true
        }
    }

    // A child between fork and exec still has the descriptor, so closing it does not unlock.
    deinit { flock(descriptor.number, LOCK_UN) }

    /// Returns whether `path` still leads to the locked file. Another file system may be mounted
    /// over it, or its own may be gone.
    public borrowing func isAt(_ path: String) -> Bool { descriptor.isAt(path) }

    private static func lock(
        _ path: String, _ flags: CInt
    ) throws(Failure) -> OwnedDescriptor {
        do throws(SystemCallError) {
            let file = try OwnedDescriptor(open: path, flags: flags, mode: 0o640)
            let number = file.number
            try systemCall("flock", path) { flock(number, LOCK_EX | LOCK_NB) }
            if flags & O_ACCMODE != O_RDONLY { try sign(number, path) }
            return file
        } catch {
            guard error.call == "flock" && error.code == EWOULDBLOCK else {
                throw .refused(error)
            }
            let holder = (try? readSmallFile(path)) ?? ""
            throw .held(by: Int32(holder.prefix { $0.isNumber }))
        }
    }

    private static func sign(_ number: CInt, _ path: String) throws(SystemCallError) {
        let text = Array("\(getpid())\n".utf8)
        try systemCall("ftruncate", path) { ftruncate(number, 0) }
        let written = unsafe text.withUnsafeBytes { bytes in
            unsafe pwrite(number, bytes.baseAddress, bytes.count, 0)
        }
        // On a full disk the file does not name the holder; the lock still holds.
        if written < 0 && errno != ENOSPC {
            throw SystemCallError(call: "pwrite", code: errno, path: path)
        }
    }
}
