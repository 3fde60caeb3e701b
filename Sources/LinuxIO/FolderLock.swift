// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// One process's claim on a folder: an exclusive flock(2) on a file that bears the holder's process id.
/// Ends with its owner, also when that is killed; children do not inherit it (`O_CLOEXEC`).
public struct FolderLock: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    /// Whether the file system takes nothing: the claim holds, but bears nobody's process id.
    public let isReadOnly: Bool

    /// Why a lock was not had.
    public enum Failure: Error, Sendable {
        /// Another open lock holds it; its process id, when it could be read.
        case held(by: Int32?)
        case refused(SystemCallError)
    }

    /// Takes the lock at once or throws.
    public init(at path: String) throws(Failure) {
        do {
            descriptor = try FolderLock.take(path, O_RDWR | O_CREAT)
            isReadOnly = false
        } catch {
            guard case .refused(let refusal) = error, refusal.code == EROFS else { throw error }
            do {
                descriptor = try FolderLock.take(path, O_RDONLY)
            } catch .held {
                // The process id in the file is that of whoever wrote last.
                throw .held(by: nil)
            } catch {
                // Nobody ever held it.
                throw .refused(refusal)
            }
            isReadOnly = true
        }
    }

    // Closing alone would leave it to a child that is between its fork and its exec.
    deinit { flock(descriptor.number, LOCK_UN) }

    /// Whether `path` still leads to the locked file: another file system may lie above it meanwhile, or its
    /// own be gone.
    public borrowing func isAt(_ path: String) -> Bool {
        var (ours, theirs) = (stat(), stat())
        guard unsafe fstat(descriptor.number, &ours) == 0, unsafe stat(path, &theirs) == 0 else {
            return false
        }
        return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino
    }

    private static func take(
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
        // A full disk leaves the holder unnamed; the lock itself holds.
        if written < 0 && errno != ENOSPC {
            throw SystemCallError(call: "pwrite", code: errno, path: path)
        }
    }
}
