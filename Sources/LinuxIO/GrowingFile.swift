// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A file that has its name from the beginning and grows for a long time. Everything written before
/// the last ``synchronize()`` survives a power cut. After one that failed, the kernel may have
/// dropped data: write nothing more, and recover the file as after a crash (fsync(2), NOTES).
public struct GrowingFile: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    /// The path that the file was opened with.
    public let path: String
    /// The length of the file.
    public private(set) var bytes: Int
    /// The end of the space that the file system has reserved; `Int.max` if it cannot reserve.
    private var reserved = 0
    /// The number of bytes that are reserved beyond those asked for.
    private static let step = 1 << 20

    /// Creates an empty file; ``isGrowing(_:)`` is true for it until it is closed. Throws `EEXIST`
    /// if the name is taken.
    public init(creating path: String) throws(SystemCallError) {
        descriptor = try OwnedDescriptor(open: path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o640)
        // On a file system without locks ``isGrowing(_:)`` is always false.
        flock(descriptor.number, LOCK_EX | LOCK_NB)
        self.path = path
        bytes = 0
    }

    /// Opens a file to append after its first `bytes`; anything behind them is cut off. Symbolic
    /// links are refused (`ELOOP`).
    public init(opening path: String, keeping bytes: Int) throws(SystemCallError) {
        let opened = try OwnedDescriptor(open: path, flags: O_RDWR | O_NOFOLLOW)
        let number = opened.number
        try systemCall("ftruncate", path) { ftruncate(number, bytes) }
        descriptor = opened
        self.path = path
        self.bytes = bytes
    }

    private init(adopting descriptor: consuming OwnedDescriptor, _ path: String, bytes: Int) {
        self.descriptor = descriptor
        self.path = path
        self.bytes = bytes
    }

    /// Opens or creates a file that one owner at a time may write, also among processes. What an
    /// earlier owner left is kept; see ``bytes``. Returns `nil` while another owner has the file.
    public static func claim(_ path: String) throws(SystemCallError) -> GrowingFile? {
        while true {
            let file = try OwnedDescriptor(
                open: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o640)
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
                if errno == EWOULDBLOCK || errno == EINTR { return nil }
                throw SystemCallError(call: "flock", code: errno, path: path)
            }
            // The former owner may have renamed or removed the file before it let go.
            guard file.isAt(path) else { continue }
            let bytes = try file.length()
            return GrowingFile(adopting: file, path, bytes: bytes)
        }
    }

    /// Returns whether the `GrowingFile` that created this file is still open, in this process or
    /// another.
    public static func isGrowing(_ path: String) -> Bool {
        guard let file = try? OwnedDescriptor(open: path, flags: O_RDONLY | O_NOFOLLOW) else {
            return false
        }
        return flock(file.number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Reserves space for `count` bytes behind the end and a little more, so that they can be
    /// appended even on a full disk; ``trim()`` gives unused space back. Does nothing if the file
    /// system cannot reserve, or not beyond its largest file. Throws `ENOSPC` or `EDQUOT`; earlier
    /// reservations stay.
    public mutating func reserve(_ count: Int) throws(SystemCallError) {
        let end = bytes + count
        guard end > reserved else { return }
        let (number, start) = (descriptor.number, max(reserved, bytes))
        let more = end - start + Self.step
        do throws(SystemCallError) {
            try systemCall("fallocate", path) { clinux_reserve(number, Int64(start), Int64(more)) }
            reserved = start + more
        } catch {
            guard [EOPNOTSUPP, ENOSYS, EFBIG].contains(error.code) else { throw error }
            reserved = .max
        }
    }

    /// Appends all of `new`.
    public mutating func append(_ new: [UInt8]) throws(SystemCallError) {
        try write(new, at: bytes)
        bytes += new.count
    }

    /// Overwrites existing bytes. Within one sector of the medium the change is atomic.
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

    /// Cuts off what a failed ``append(_:)`` left behind the end, and gives reserved space back.
    public borrowing func trim() throws(SystemCallError) {
        let number = descriptor.number
        try systemCall("ftruncate", path) { ftruncate(number, bytes) }
    }

    /// Waits until the content and the length are on the medium. Corresponds to fdatasync(2).
    public borrowing func synchronize() throws(SystemCallError) {
        let number = descriptor.number
        try systemCall("fdatasync", path) { fdatasync(number) }
    }

    /// Returns a second owner of the same open file. The claim ends with the last one.
    public borrowing func handOver() throws(SystemCallError) -> GrowingFile {
        GrowingFile(adopting: try descriptor.duplicate(), path, bytes: bytes)
    }

    /// Cuts the file off after its first `count` bytes.
    public mutating func shorten(to count: Int) throws(SystemCallError) {
        bytes = min(bytes, count)
        try trim()
    }

    /// Renames the file, replaces any other file of that name, and returns when the name survives a
    /// power cut; synchronize the content before. Returns a lease on the file in its new place.
    public consuming func publish(replacing new: String) throws(SystemCallError) -> FileLease {
        let (old, number) = (path, descriptor.number)
        try systemCall("rename", new) { unsafe rename(old, new) }
        try DurableFile.synchronizeDirectory(PathName(old).parent)
        try DurableFile.synchronizeDirectory(PathName(new).parent)
        try systemCall("flock", new) { flock(number, LOCK_SH | LOCK_NB) }
        return FileLease(adopting: try descriptor.duplicate(), at: new)
    }
}
