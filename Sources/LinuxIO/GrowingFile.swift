// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A file that has its name from the beginning and grows for long: what has been written up to the last
/// ``synchronize()`` survives a power cut.
///
/// After a failed one the kernel may have dropped what was not on the medium yet: nothing more is written then, and
/// the file is looked through like one that a crash has left (fsync(2), NOTES).
public struct GrowingFile: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    /// As it was given.
    public let path: String
    /// Of the file.
    public private(set) var bytes: Int
    /// The file system has room for so many of the file's bytes; `Int.max` where it cannot promise any.
    private var reserved = 0
    /// Room is asked for in so many bytes at a time.
    private static let step = 1 << 20

    /// Creates an empty file, which ``isGrowing(_:)`` until it is closed. Throws `EEXIST` where there is one.
    public init(creating path: String) throws(SystemCallError) {
        descriptor = try OwnedDescriptor(open: path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o640)
        // Of a file system that knows no locks nobody can tell.
        flock(descriptor.number, LOCK_EX | LOCK_NB)
        self.path = path
        bytes = 0
    }

    /// Opens a file to go on behind its first `bytes`; what comes after them is cut off. A symbolic link is
    /// refused (`ELOOP`).
    public init(opening path: String, keeping bytes: Int) throws(SystemCallError) {
        let opened = try OwnedDescriptor(open: path, flags: O_RDWR | O_NOFOLLOW)
        let number = opened.number
        try systemCall("ftruncate", path) { ftruncate(number, bytes) }
        descriptor = opened
        self.path = path
        self.bytes = bytes
    }

    /// Whether somebody is writing the file that it was created as, in this process or another.
    public static func isGrowing(_ path: String) -> Bool {
        guard let file = try? OwnedDescriptor(open: path, flags: O_RDONLY | O_NOFOLLOW) else {
            return false
        }
        return flock(file.number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Has the file system keep room for so many bytes behind the end, and a little more: they can be appended on a full
    /// disk, too. Where it cannot promise that nothing happens. What is kept and not needed, ``trim()`` gives back.
    ///
    /// - Throws: `ENOSPC`, `EDQUOT`: what was kept before stays so.
    public mutating func reserve(_ count: Int) throws(SystemCallError) {
        let end = bytes + count
        guard end > reserved else { return }
        let (number, start) = (descriptor.number, max(reserved, bytes))
        let more = end - start + Self.step
        do throws(SystemCallError) {
            try systemCall("fallocate", path) { clinux_reserve(number, Int64(start), Int64(more)) }
            reserved = start + more
        } catch {
            guard error.code == EOPNOTSUPP || error.code == ENOSYS else { throw error }
            reserved = .max
        }
    }

    /// Appends all of it.
    public mutating func append(_ new: [UInt8]) throws(SystemCallError) {
        try write(new, at: bytes)
        bytes += new.count
    }

    /// Writes over what is there. Within one sector of the medium that is done as a whole, or not.
    public borrowing func overwrite(_ new: [UInt8], at offset: Int) throws(SystemCallError) {
        precondition(offset + new.count <= bytes, "\(path): \(offset) lies behind the end")
        try write(new, at: offset)
    }

    private borrowing func write(_ new: [UInt8], at offset: Int) throws(SystemCallError) {
        let number = descriptor.number
        var done = 0
        while done < new.count {
            done += try systemCall("pwrite", path) {
                unsafe new.withUnsafeBytes { buffer in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
                    return unsafe pwrite(number, rest.baseAddress, rest.count, offset + done)
                }
            }
        }
    }

    /// Cuts off what a failed ``append(_:)`` may have left behind the end, and gives back what was reserved there.
    public borrowing func trim() throws(SystemCallError) {
        let number = descriptor.number
        try systemCall("ftruncate", path) { ftruncate(number, bytes) }
    }

    /// Waits until all of it is on the medium, its length included. Corresponds to fdatasync(2).
    public borrowing func synchronize() throws(SystemCallError) {
        let number = descriptor.number
        try systemCall("fdatasync", path) { fdatasync(number) }
    }
}
