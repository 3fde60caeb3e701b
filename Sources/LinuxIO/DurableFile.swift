// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A new file that is either complete or absent after a power cut.
///
///     reserved → written → synchronized → published
///
/// The file has no name (`O_TMPFILE`) until it is published. If the file system does not support
/// that, the file is written under a staging name, which is removed if the file is never published.
/// After a failed ``synchronize()`` the kernel may have dropped the dirty pages and forgotten the
/// error: discard the file and write a new one, once (fsync(2), NOTES).
public struct DurableFile: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    private let directory: String
    private var staging: String?
    private var synchronized = false

    /// Creates the file and reserves `bytes` for it, so that a full disk is noticed at once.
    /// - Parameters:
    ///   - directory: The directory in which the file will be published.
    ///   - staging: A name in the same file system, used only if `O_TMPFILE` does not work.
    ///   - unnamed: Whether to try `O_TMPFILE`.
    public init(
        in directory: String, staging: String, reserving bytes: Int, unnamed: Bool = true
    ) throws(SystemCallError) {
        let unnamed = try unnamed ? DurableFile.openUnnamed(in: directory) : nil
        let number = try DurableFile.reserve(
            bytes, for: unnamed, orNamed: staging, directory: directory)
        self.init(
            adopting: number, directory: directory, staging: unnamed == nil ? staging : nil)
    }

    // Separate from the throwing part, because Swift 6.2 does not compile both in one initializer.
    private init(adopting number: CInt, directory: String, staging: String?) {
        descriptor = OwnedDescriptor(adopting: number)
        self.directory = directory
        self.staging = staging
    }

    deinit {
        if let staging { _ = unsafe unlink(staging) }
    }

    /// Opens an unnamed file; returns `nil` if the file system does not support them. Overlay and
    /// 9p fail with `EOPNOTSUPP`, kernels before 3.11 with `EISDIR`, others with `ENOENT` (open(2),
    /// BUGS).
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

    /// Reserves `bytes` for `unnamed`, or else for a new file named `staging`. Returns the file's
    /// descriptor, which the caller owns. On failure neither file remains.
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
            // FAT and network file systems cannot reserve; their writes fail when they are full.
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

    /// Appends up to `count` bytes of another file from `offset` on, and returns their number;
    /// `nil` if these two files do not support it. The kernel copies, and shares the blocks if the
    /// file system can (copy_file_range(2)).
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

    /// Gives the file to the owner of its directory if this process runs as root.
    public mutating func giveToOwner() throws(SystemCallError) {
        try descriptor.giveToOwner(of: directory)
    }

    /// Waits until the bytes are on the medium. Corresponds to fsync(2).
    public mutating func synchronize() throws(SystemCallError) {
        let number = descriptor.number
        try systemCall("fsync", directory) { fsync(number) }
        synchronized = true
    }

    /// Gives the file its name, which survives a power cut after ``synchronizeDirectory(_:)``.
    /// Throws `EEXIST` if the name is taken; the other file stays.
    public consuming func publish(as path: String) throws(SystemCallError) {
        precondition(synchronized, "\(path) published before fsync")
        let wasUnnamed = staging == nil
        try link(as: path)
        guard wasUnnamed else { return }
        // On a file system without a journal, the directory's fsync does not record in the file
        // that it has a name now. The next fsck would remove the file, so it is synchronized again.
        do {
            try synchronize()
        } catch {
            // The caller will write the file again under the same name.
            _ = unsafe unlink(path)
            throw error
        }
    }

    /// Gives the file the name `path` in place of the file that has it, and returns when the new
    /// name survives a power cut. The file must have been created under its staging name.
    public consuming func publish(replacing path: String) throws(SystemCallError) {
        precondition(synchronized, "\(path) published before fsync")
        guard let staging else { preconditionFailure("\(path): an unnamed file replaces none") }
        try systemCall("rename", path) { unsafe rename(staging, path) }
        self.staging = nil
        try DurableFile.synchronizeDirectory(PathName(path).parent)
    }

    /// Gives the file its name like ``publish(as:)``, but without ``synchronize()``. This is for
    /// files that can be made again.
    public consuming func publishRebuildable(as path: String) throws(SystemCallError) {
        try link(as: path)
    }

    private mutating func link(as path: String) throws(SystemCallError) {
        let number = descriptor.number
        guard let staging else {
            try systemCall("linkat", path) { unsafe clinux_link_temporary(number, path) }
            return
        }
        // FAT, which most cards use, has no links, but it has this rename that replaces nothing.
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

    /// Writes, synchronizes and publishes a whole file in an existing directory. Returns when it
    /// survives a power cut.
    /// - Parameters:
    ///   - chunks: The content, in order.
    ///   - staging: A name in the same file system, see ``init(in:staging:reserving:unnamed:)``.
    ///   - each: Called with each chunk after it was written, for example to compute a hash.
    /// - Throws: `EEXIST` if `path` is taken.
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
            // FAT writes the two ends of a rename separately. After a power cut both names may
            // refer to the same clusters, and removing the staging name would free those of the
            // published file. So the removal of the old name is synchronized before the new name.
            if let staged { try synchronizeDirectory(PathName(staged).parent) }
            try synchronizeDirectory(directory)
        } catch {
            // The caller will write the file again under the same name.
            _ = unsafe unlink(path)
            throw error
        }
    }

    /// Replaces or creates a file and returns when the new one survives a power cut. The old file
    /// stays until then. A symbolic link is followed. A new file gets `mode`; a replaced one keeps
    /// its mode and owner, so that everybody who could read it still can.
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
