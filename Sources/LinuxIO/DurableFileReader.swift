// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A file that is read from its beginning in blocks. Symbolic links are refused (`ELOOP`), unless a
/// caller allows them.
public struct DurableFileReader: ~Copyable, Sendable {
    let descriptor: OwnedDescriptor
    private let path: String

    /// Opens a file for reading.
    public init(_ path: String, followsLinks: Bool = false) throws(SystemCallError) {
        descriptor = try OwnedDescriptor(
            open: path, flags: O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW))
        self.path = path
    }

    init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
        path = "the passed file"
    }

    /// Returns the next bytes, at most `count`; empty at the end.
    public borrowing func read(upTo count: Int = 1 << 20) throws(SystemCallError) -> [UInt8] {
        let number = descriptor.number
        var failure: SystemCallError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemCallError) {
                filled = try systemCall("read", path) {
                    unsafe Glibc.read(number, buffer.baseAddress, count)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Returns at most `count` bytes from `offset` on; empty at the end. The position of
    /// ``read(upTo:)`` does not change.
    public borrowing func read(
        upTo count: Int, at offset: Int
    ) throws(SystemCallError) -> [UInt8] {
        let number = descriptor.number
        var failure: SystemCallError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemCallError) {
                filled = try systemCall("pread", path) {
                    unsafe pread(number, buffer.baseAddress, count, offset)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
