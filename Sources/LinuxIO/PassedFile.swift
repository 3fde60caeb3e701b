// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A file open for reading that one process hands to another over a ``LineConnection``: who receives it may read it,
/// whatever rights it has itself.
public final class PassedFile: Sendable {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// Opens a file to be handed on. Symbolic links are refused (`ELOOP`).
    public convenience init(_ path: String) throws(SystemCallError) {
        self.init(try OwnedDescriptor(open: path, flags: O_RDONLY | O_NOFOLLOW))
    }

    /// Its size.
    ///
    /// - Throws: `EINVAL` for what is no file: whoever sent it is not trusted.
    public func bytes() throws(SystemCallError) -> Int {
        var status = stat()
        let number = descriptor.number
        try systemCall("fstat", "what was handed over") { unsafe fstat(number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemCallError(call: "fstat", code: EINVAL, path: "what was handed over")
        }
        return Int(status.st_size)
    }

    /// A reader. Where it reads is the file's: one at a time.
    ///
    /// - Throws: as ``bytes()``.
    public func reader() throws(SystemCallError) -> DurableFileReader {
        _ = try bytes()
        return DurableFileReader(try descriptor.duplicate())
    }
}
