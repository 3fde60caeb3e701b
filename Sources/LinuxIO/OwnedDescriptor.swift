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
}
