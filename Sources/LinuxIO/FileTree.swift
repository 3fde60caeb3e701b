// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// Functions on directories, files and file systems by path.
public enum FileTree {
    /// The kind, size and age of a file or directory. Symbolic links are not followed.
    public struct Entry: Sendable, Equatable {
        /// A regular file, a directory, or anything else, such as a symbolic link.
        public enum Kind: Sendable {
            case file, directory, other
        }
        /// The kind of what is there.
        public let kind: Kind
        /// The length of the content.
        public let bytes: Int
        /// The time of the last change of the content, in nanoseconds of wall time.
        public let modified: Int64
    }

    /// Returns the entry at `path`; `nil` if there is none. Corresponds to lstat(2).
    public static func entry(_ path: String) throws(SystemCallError) -> Entry? {
        var status = stat()
        do {
            try systemCall("lstat", path) { unsafe lstat(path, &status) }
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return nil
        }
        let kind: Entry.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        return Entry(
            kind: kind, bytes: Int(status.st_size), modified: nanoseconds(status.st_mtim))
    }

    /// Returns a time in nanoseconds, clamped to 64 bits: a file can have any time.
    static func nanoseconds(_ time: timespec) -> Int64 {
        let seconds = Int64(time.tv_sec)
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(Int64(time.tv_nsec))
        return isTooMuch || isOver ? (seconds < 0 ? .min : .max) : sum
    }

    /// Returns the names in a directory, without "." and "..", in no order. Names that are not
    /// UTF-8 are left out, because Vitrine creates none; see ``namesNotUTF8(in:)``.
    public static func names(in path: String) throws(SystemCallError) -> [String] {
        try rawNames(in: path).compactMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the names that ``names(in:)`` leaves out. A replacement character stands for
    /// unreadable bytes.
    public static func namesNotUTF8(in path: String) throws(SystemCallError) -> [String] {
        try rawNames(in: path).filter { String(validating: $0, as: UTF8.self) == nil }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func rawNames(in path: String) throws(SystemCallError) -> [[UInt8]] {
        guard let directory = unsafe opendir(path) else {
            throw SystemCallError(call: "opendir", code: errno, path: path)
        }
        defer { _ = unsafe closedir(directory) }
        var names: [[UInt8]] = []
        var buffer = [CChar](repeating: 0, count: 256)
        while true {
            let got = try systemCall("readdir", path) {
                unsafe buffer.withUnsafeMutableBufferPointer { buffer in
                    unsafe clinux_next_entry(UnsafeMutableRawPointer(directory), buffer.baseAddress)
                }
            }
            if got == 0 { return names }
            names.append(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
        }
    }

    /// Makes the missing directories `root/a`, `root/a/b` …, and returns when all survive a power
    /// cut. Every parent is synchronized, even if the directory existed: an earlier run may have
    /// been killed between making and synchronizing it.
    public static func makeDirectories(
        _ components: [String], below root: String
    ) throws(SystemCallError) {
        var parent = root
        for component in components {
            let path = "\(parent)/\(component)"
            try makeDirectory(path)
            try DurableFile.synchronizeDirectory(parent)
            parent = path
        }
    }

    /// Makes one directory unless it exists; returns whether it was made. Its parent must exist.
    /// Throws `ENOTDIR` if `path` exists and is no directory.
    @discardableResult
    public static func makeDirectory(_ path: String) throws(SystemCallError) -> Bool {
        do {
            try systemCall("mkdir", path) { unsafe mkdir(path, 0o750) }
            return true
        } catch {
            guard error.code == EEXIST else { throw error }
            guard try entry(path + "/.")?.kind == .directory else {
                throw SystemCallError(call: "mkdir", code: ENOTDIR, path: path)
            }
            return false
        }
    }

    /// Sets a file's modification time to now. Corresponds to utimensat(2).
    public static func touch(_ path: String) throws(SystemCallError) {
        try systemCall("utimensat", path) {
            unsafe utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// Sets a file's modification time, in nanoseconds since 1970. Corresponds to utimensat(2).
    public static func touch(_ path: String, at nanoseconds: Int64) throws(SystemCallError) {
        let second: Int64 = 1_000_000_000
        // The part of a second is positive, even for times before 1970.
        let part = (nanoseconds % second + second) % second
        let time = timespec(tv_sec: Int((nanoseconds - part) / second), tv_nsec: Int(part))
        try systemCall("utimensat", path) {
            unsafe [time, time].withUnsafeBufferPointer {
                unsafe utimensat(AT_FDCWD, path, $0.baseAddress, AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    /// Removes a file. A missing file is no error.
    public static func remove(_ path: String) throws(SystemCallError) {
        do {
            try systemCall("unlink", path) { unsafe unlink(path) }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    /// Removes an empty directory. A missing directory is no error.
    public static func removeDirectory(_ path: String) throws(SystemCallError) {
        do {
            try systemCall("rmdir", path) { unsafe rmdir(path) }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    /// Renames a file or folder within a file system and returns when the new name survives a power
    /// cut. Throws `EEXIST` if the new name is taken.
    public static func move(_ path: String, to new: String) throws(SystemCallError) {
        do {
            try systemCall("renameat2", new) { unsafe clinux_rename_new(path, new) }
        } catch {
            // Network file systems lack the rename that replaces nothing; a link replaces nothing
            // either.
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            try systemCall("link", new) { unsafe link(path, new) }
            try remove(path)
        }
        // The removal of the old name is synchronized before the new name, see `DurableFile.write`.
        try DurableFile.synchronizeDirectory(PathName(path).parent)
        try DurableFile.synchronizeDirectory(PathName(new).parent)
    }

    /// Gives a file a second name in its file system, in place of any file of that name. Returns
    /// when the name survives a power cut. Corresponds to link(2) and rename(2).
    public static func replaceLink(to path: String, at new: String) throws(SystemCallError) {
        let staging = "\(new).new"
        try remove(staging)
        try systemCall("link", staging) { unsafe link(path, staging) }
        try systemCall("rename", new) { unsafe rename(staging, new) }
        // If both names are the same file already, rename(2) does nothing.
        try remove(staging)
        try DurableFile.synchronizeDirectory(PathName(new).parent)
    }

    /// Checks that this process may write to a directory and that its file system is writable;
    /// throws `EACCES` or `EROFS`. Corresponds to access(2).
    public static func requireWritable(_ path: String) throws(SystemCallError) {
        try systemCall("access", path) { unsafe access(path, W_OK) }
    }

    /// Returns whether this process may read a file. Corresponds to access(2).
    public static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    /// Returns the mount point at or above `path` that `table`, as in fstab(5), lists but that is
    /// not mounted; `nil` if there is none or the table cannot be read.
    public static func missingMount(for path: String, table: String = "/etc/fstab") -> String? {
        guard let file = unsafe setmntent(table, "re") else { return nil }
        defer { unsafe endmntent(file) }
        var entry = unsafe mntent()
        var line = [CChar](repeating: 0, count: 4096)
        while unsafe getmntent_r(file, &entry, &line, CInt(line.count)) != nil {
            let place = unsafe String(cString: entry.mnt_dir)
            // A tmpfs is empty after each start, so no library is on it.
            if unsafe String(cString: entry.mnt_type) == "tmpfs" { continue }
            guard isAtOrAbove(place, path) else { continue }
            let state = unsafe clinux_is_mount_point(place)
            if state == 0 || state < 0 && errno == ENOENT { return place }
        }
        return nil
    }

    /// Returns once everything that was written to the file system of `path` is on its medium.
    /// Corresponds to syncfs(2).
    public static func synchronizeFileSystem(of path: String) throws(SystemCallError) {
        let folder = try OwnedDescriptor(open: path, flags: O_RDONLY | O_DIRECTORY)
        try systemCall("syncfs", path) { clinux_syncfs(folder.number) }
    }

    /// Lets the next read of a file come from its medium. Corresponds to posix_fadvise(2).
    public static func dropCache(of path: String) throws(SystemCallError) {
        let file = try OwnedDescriptor(open: path, flags: O_RDONLY)
        _ = posix_fadvise(file.number, 0, 0, POSIX_FADV_DONTNEED)
    }

    private static func isAtOrAbove(_ place: String, _ path: String) -> Bool {
        let slash = UInt8(ascii: "/")
        guard place.utf8.count > 1, place.utf8.first == slash,
            path.utf8.starts(with: place.utf8)
        else { return false }
        let next = path.utf8.dropFirst(place.utf8.count).first
        return next == nil || next == slash
    }

    /// Returns the bytes that an ordinary user may still write to the file system of `path`.
    public static func freeBytes(at path: String) throws(SystemCallError) -> Int64 {
        var status = statvfs()
        try systemCall("statvfs", path) { unsafe statvfs(path, &status) }
        return bytes(UInt64(status.f_bavail), blocksOf: UInt64(status.f_frsize))
    }

    /// Returns whether the file system of `path` is mounted read-only.
    public static func isReadOnly(_ path: String) throws(SystemCallError) -> Bool {
        var status = statvfs()
        try systemCall("statvfs", path) { unsafe statvfs(path, &status) }
        return status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Returns the size of `count` blocks in bytes, clamped to `Int64.max`: some network and FUSE
    /// file systems report more than fits.
    package static func bytes(_ count: UInt64, blocksOf size: UInt64) -> Int64 {
        let (product, isTooLarge) = count.multipliedReportingOverflow(by: size)
        return isTooLarge ? .max : Int64(clamping: product)
    }
}
