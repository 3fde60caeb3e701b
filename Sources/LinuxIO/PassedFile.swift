// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A file open for reading that one process sends to another over a ``LineConnection``. The
/// receiver may read it even without rights to it.
public final class PassedFile: Sendable {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// Opens a file to send. Symbolic links are refused (`ELOOP`).
    public convenience init(_ path: String) throws(SystemCallError) {
        self.init(try OwnedDescriptor(open: path, flags: O_RDONLY | O_NOFOLLOW))
    }

    /// Returns the size; throws `EINVAL` if it is no regular file: the sender is not trusted.
    public func bytes() throws(SystemCallError) -> Int {
        var status = stat()
        let number = descriptor.number
        try systemCall("fstat", "the passed file") { unsafe fstat(number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemCallError(call: "fstat", code: EINVAL, path: "the passed file")
        }
        return Int(status.st_size)
    }

    /// Returns a descriptor of a regular file, with the position of all others; throws as
    /// ``bytes()``, and `EMFILE`.
    public func duplicate() throws(SystemCallError) -> OwnedDescriptor {
        _ = try bytes()
        return try descriptor.duplicate()
    }

    /// Returns a reader; throws as ``bytes()``. All readers share one position: use one at a time.
    public func reader() throws(SystemCallError) -> DurableFileReader {
        _ = try bytes()
        return DurableFileReader(try descriptor.duplicate())
    }
}
