// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A new file that is either completely there after a power cut or not at all.
///
///     reserved → written → synchronized → published
///
/// It has no name (`O_TMPFILE`) until it is published; where the file system cannot do that, it is
/// written under a staging name, which goes away when the file ends unpublished.
/// After a failed ``synchronize()`` the kernel may have dropped the dirty pages and forgotten the
/// error: throw this file away and write a new one, once (fsync(2), NOTES).
public struct DurableFile: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    private let directory: String
    private var staging: String?
    private var synchronized = false

    /// Creates the file and reserves `bytes` for it, so that a full disk shows before anything is
    /// written.
    ///
    /// - Parameters:
    ///   - directory: Where the file will be published.
    ///   - staging: A name in the same file system, used only where `O_TMPFILE` does not work.
    ///   - unnamed: `false` goes straight to the staging name.
    public init(
        in directory: String, staging: String, reserving bytes: Int, unnamed: Bool = true
    ) throws(SystemCallError) {
        let unnamed = try unnamed ? DurableFile.openUnnamed(in: directory) : nil
        let number = try DurableFile.reserve(
            bytes, for: unnamed, orNamed: staging, directory: directory)
        self.init(
            adopting: number, directory: directory, staging: unnamed == nil ? staging : nil)
    }

    // Apart from what throws: Swift 6.2 does not compile both in one.
    private init(adopting number: CInt, directory: String, staging: String?) {
        descriptor = OwnedDescriptor(adopting: number)
        self.directory = directory
        self.staging = staging
    }

    deinit {
        if let staging { _ = unsafe unlink(staging) }
    }

    /// `nil` where the file system has no unnamed files: overlay and 9p answer `EOPNOTSUPP`, kernels
    /// before 3.11 see only the directory (`EISDIR`), others `ENOENT` (open(2), BUGS).
    private static func openUnnamed(
        in directory: String
    ) throws(SystemCallError) -> CInt? {
        do {
            return try OwnedDescriptor(
                open: directory, flags: O_RDWR | clinux_unnamed_file, mode: 0o640
            ).release()
        } catch {
            guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Answers the number of the file that `bytes` are reserved for: `unnamed`, else a new one named
    /// `staging`; on an error neither stays.
    private static func reserve(
        _ bytes: Int, for unnamed: CInt?, orNamed staging: String, directory: String
    ) throws(SystemCallError) -> CInt {
        let file =
            if let unnamed {
                OwnedDescriptor(adopting: unnamed)
            } else {
                try OwnedDescriptor(
                    open: staging, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o640)
            }
        let number = file.number
        do {
            if bytes > 0 {
                try systemCall("fallocate", directory) { clinux_reserve(number, 0, Int64(bytes)) }
            }
        } catch {
            // FAT and network file systems cannot reserve; their writes tell when they are full.
            guard error.code == EOPNOTSUPP || error.code == ENOSYS else {
                if unnamed == nil { _ = unsafe unlink(staging) }
                throw error
            }
        }
        return file.release()
    }

    /// Appends all of `bytes`.
    public mutating func write(_ bytes: [UInt8]) throws(SystemCallError) {
        synchronized = false
        let number = descriptor.number
        var done = 0
        while done < bytes.count {
            done += try systemCall("write", directory) {
                unsafe bytes.withUnsafeBytes { buffer in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
                    return unsafe Glibc.write(number, rest.baseAddress, rest.count)
                }
            }
        }
    }

    /// Appends up to `count` bytes of another file from `offset` on, in the kernel, which shares the
    /// blocks where the file system can. Answers how many; `nil` when these two files cannot do it.
    /// Corresponds to copy_file_range(2).
    public mutating func append(
        upTo count: Int, from source: borrowing DurableFileReader, at offset: Int
    ) throws(SystemCallError) -> Int? {
        synchronized = false
        let number = descriptor.number
        let from = source.descriptor.number
        do {
            return try systemCall("copy_file_range", directory) {
                Int(clinux_copy_range(from, Int64(offset), number, UInt64(count)))
            }
        } catch {
            guard [EXDEV, EINVAL, EOPNOTSUPP, ENOSYS, EBADF].contains(error.code) else {
                throw error
            }
            return nil
        }
    }

    /// Makes the file, where root writes it, the directory owner's.
    public mutating func giveToOwner() throws(SystemCallError) {
        guard geteuid() == 0 else { return }
        var status = stat()
        try systemCall("stat", directory) { unsafe stat(directory, &status) }
        let number = descriptor.number
        try systemCall("fchown", directory) { fchown(number, status.st_uid, status.st_gid) }
    }

    /// Waits until the bytes are on the medium. Corresponds to fsync(2).
    public mutating func synchronize() throws(SystemCallError) {
        let number = descriptor.number
        try systemCall("fsync", directory) { fsync(number) }
        synchronized = true
    }

    /// Gives the file its name; throws `EEXIST` rather than replace another file.
    ///
    /// The name survives a power cut once ``synchronizeDirectory(_:)`` has returned for its directory.
    public consuming func publish(as path: String) throws(SystemCallError) {
        precondition(synchronized, "\(path) published before fsync")
        let wasUnnamed = staging == nil
        try link(as: path)
        guard wasUnnamed else { return }
        // Without a journal the directory's fsync does not write that the file has a name now, and a file
        // without one is removed by the next fsck.
        do {
            try synchronize()
        } catch {
            // The caller will write it again under the same name.
            _ = unsafe unlink(path)
            throw error
        }
    }

    /// Puts the file, which was begun under its staging name, in the place of whatever has the name; as
    /// ``publish(as:)`` else.
    public consuming func publish(replacing path: String) throws(SystemCallError) {
        precondition(synchronized, "\(path) published before fsync")
        guard let staging else { preconditionFailure("\(path): an unnamed file replaces none") }
        try systemCall("rename", path) { unsafe rename(staging, path) }
        self.staging = nil
        try DurableFile.synchronizeDirectory(PathName(path).parent)
    }

    /// As ``publish(as:)`` for a file that can be made again: it need not be synchronized.
    public consuming func publishRebuildable(as path: String) throws(SystemCallError) {
        try link(as: path)
    }

    private mutating func link(as path: String) throws(SystemCallError) {
        let number = descriptor.number
        guard let staging else {
            try systemCall("linkat", path) { unsafe clinux_link_temporary(number, path) }
            return
        }
        // A rename that replaces nothing: FAT, on which most cards and sticks come, has no links.
        do {
            try systemCall("renameat2", path) { unsafe clinux_rename_new(staging, path) }
            self.staging = nil
        } catch {
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            try systemCall("link", path) { unsafe Glibc.link(staging, path) }
            // The deinit removes the staging name.
        }
    }

    /// Waits until the names in a directory are on the medium.
    public static func synchronizeDirectory(_ path: String) throws(SystemCallError) {
        let directory = try OwnedDescriptor(open: path, flags: O_RDONLY | O_DIRECTORY)
        let number = directory.number
        try systemCall("fsync", path) { fsync(number) }
    }

    /// Writes a whole file in the order above and returns when it survives a power cut.
    ///
    /// - Parameters:
    ///   - chunks: The content, in order.
    ///   - path: The name it gets; its directory exists. `EEXIST` when taken.
    ///   - staging: A name in the same file system, see ``init(in:staging:reserving:unnamed:)``.
    ///   - each: Called with every chunk after it was handed to the kernel, for a hash.
    public static func write(
        _ chunks: [[UInt8]], to path: String, staging: String, unnamed: Bool = true,
        each: ([UInt8]) -> Void = { _ in }
    ) throws(SystemCallError) {
        let directory = PathName(path).parent
        var file = try DurableFile(
            in: directory, staging: staging, reserving: chunks.reduce(0) { $0 + $1.count },
            unnamed: unnamed)
        for chunk in chunks {
            try file.write(chunk)
            each(chunk)
        }
        try file.synchronize()
        let staged = file.staging
        try file.publish(as: path)
        do {
            // FAT writes the two ends of a rename one by one, and after a power cut both names may
            // lead to the same clusters: removing the leftover would free those of the original. So
            // the old name is gone for certain before the new one counts.
            if let staged { try synchronizeDirectory(PathName(staged).parent) }
            try synchronizeDirectory(directory)
        } catch {
            // The caller will write it again under the same name.
            _ = unsafe unlink(path)
            throw error
        }
    }

    /// Puts a whole file in the place of another, which is there until the new one is on the medium; a link
    /// is followed. Returns when it survives a power cut.
    ///
    /// - Parameter mode: of a new file; one that is replaced hands on its own, and its owner, so that who
    ///   could read it still can.
    public static func replace(
        _ path: String, with bytes: [UInt8], mode: UInt32 = 0o644
    ) throws(SystemCallError) {
        var path = path
        if let target = unsafe realpath(path, nil) {
            path = unsafe String(cString: target)
            unsafe free(target)
        }
        var status = stat()
        let isThere = unsafe stat(path, &status) == 0
        let staging = "\(path).new"
        _ = unsafe unlink(staging)
        var file = try DurableFile(
            in: PathName(path).parent, staging: staging, reserving: bytes.count, unnamed: false)
        try file.write(bytes)
        let number = file.descriptor.number
        let mode = isThere ? status.st_mode & 0o7777 : mode
        if isThere, status.st_uid != geteuid() || status.st_gid != getegid() {
            try systemCall("fchown", path) { fchown(number, status.st_uid, status.st_gid) }
        }
        try systemCall("fchmod", path) { fchmod(number, mode) }
        try file.synchronize()
        try file.publish(replacing: path)
    }
}
