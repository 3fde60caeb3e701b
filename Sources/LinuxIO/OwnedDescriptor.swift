// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A file descriptor with one owner; closed when the owner ends.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The descriptor's number, for system calls while the owner is alive. Never store or close it.
    public let number: CInt

    /// Adopts a descriptor that the kernel has just returned.
    public init(adopting number: CInt) {
        precondition(number >= 0, "descriptor \(number)")
        self.number = number
    }

    deinit {
        _ = Glibc.close(number)
    }

    /// Opens `path`. `O_CLOEXEC` is always added. See open(2).
    public init(
        open path: String, flags: CInt, mode: UInt32 = 0
    ) throws(SystemCallError) {
        number = try systemCall("open", path) {
            unsafe clinux_open(path, flags | O_CLOEXEC, mode)
        }
    }

    /// Closes the descriptor. It is gone even if this throws (close(2), NOTES).
    public consuming func close() throws(SystemCallError) {
        let number = self.number
        discard self
        if Glibc.close(number) < 0 && errno != EINTR {
            throw SystemCallError(call: "close", code: errno)
        }
    }

    /// Gives the number to an owner outside Swift, which must close it.
    public consuming func release() -> CInt {
        let number = self.number
        discard self
        return number
    }

    /// Returns a second descriptor of the same open file.
    public borrowing func duplicate() throws(SystemCallError) -> OwnedDescriptor {
        let number = self.number
        return OwnedDescriptor(
            adopting: try systemCall("fcntl F_DUPFD_CLOEXEC") { clinux_duplicate(number) })
    }

    /// Returns whether `path` leads to the open file. The file may have been renamed or removed, or
    /// another file system mounted over it.
    public borrowing func isAt(_ path: String) -> Bool {
        var (ours, theirs) = (stat(), stat())
        guard unsafe fstat(number, &ours) == 0, unsafe stat(path, &theirs) == 0 else {
            return false
        }
        return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino
    }

    /// Whether the open file is a regular file.
    public var isRegularFile: Bool {
        var status = stat()
        return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns the file's length in bytes.
    public borrowing func length() throws(SystemCallError) -> Int {
        var status = stat()
        let number = number
        try systemCall("fstat") { unsafe fstat(number, &status) }
        return Int(status.st_size)
    }

    /// Gives the file to the owner of `folder` if this process runs as root.
    public borrowing func giveToOwner(of folder: String) throws(SystemCallError) {
        guard geteuid() == 0 else { return }
        var status = stat()
        let number = number
        try systemCall("stat", folder) { unsafe stat(folder, &status) }
        try systemCall("fchown", folder) { fchown(number, status.st_uid, status.st_gid) }
    }
}
