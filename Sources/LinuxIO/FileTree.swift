// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// What is in a directory, what a path leads to, and how much space there is.
public enum FileTree {
    /// What a path leads to; symbolic links are not followed.
    public struct Entry: Sendable, Equatable {
        /// Files and directories are told apart from all else.
        public enum Kind: Sendable {
            case file, directory, other
        }
        /// What is there.
        public let kind: Kind
        /// The length of its content.
        public let bytes: Int
        /// Last change of the content, nanoseconds of wall time.
        public let modified: Int64
    }

    /// `nil` when nothing is there. Corresponds to lstat(2).
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

    /// Anybody can give a file any time: those that 64 bits do not hold become the nearest.
    static func nanoseconds(_ time: timespec) -> Int64 {
        let seconds = Int64(time.tv_sec)
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(Int64(time.tv_nsec))
        return isTooMuch || isOver ? (seconds < 0 ? .min : .max) : sum
    }

    /// The names in a directory, without "." and "..", in no order. Names that are not UTF-8 are
    /// left out: nothing of ours bears one. See ``namesNotUTF8(in:)``.
    public static func names(in path: String) throws(SystemCallError) -> [String] {
        try rawNames(in: path).compactMap { String(validating: $0, as: UTF8.self) }
    }

    /// The names that ``names(in:)`` leaves out, with a sign in place of what cannot be read.
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

    /// Makes `root/a`, `root/a/b` … where missing and returns when all of them survive a power cut.
    ///
    /// Every parent is synchronized, also of a directory that was there: an earlier run may have been
    /// killed between making and synchronizing it.
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

    /// Makes one directory unless it is there; its parent must exist. Answers whether it was made.
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

    /// Gives a file the time of now, as if it had been written to. Corresponds to utimensat(2).
    public static func touch(_ path: String) throws(SystemCallError) {
        try systemCall("utimensat", path) {
            unsafe utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// As ``touch(_:)``, with a time in nanoseconds since 1970.
    public static func touch(_ path: String, at nanoseconds: Int64) throws(SystemCallError) {
        let second: Int64 = 1_000_000_000
        // Before 1970 as well the part of a second is positive.
        let part = (nanoseconds % second + second) % second
        let time = timespec(tv_sec: Int((nanoseconds - part) / second), tv_nsec: Int(part))
        try systemCall("utimensat", path) {
            unsafe [time, time].withUnsafeBufferPointer {
                unsafe utimensat(AT_FDCWD, path, $0.baseAddress, AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    /// Removes a file; one that is not there is no error.
    public static func remove(_ path: String) throws(SystemCallError) {
        do {
            try systemCall("unlink", path) { unsafe unlink(path) }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    /// Removes an empty directory; one that is not there is no error.
    public static func removeDirectory(_ path: String) throws(SystemCallError) {
        do {
            try systemCall("rmdir", path) { unsafe rmdir(path) }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    /// Gives a file or folder another name in the same file system, where there is none yet, and returns when
    /// that survives a power cut.
    ///
    /// - Throws: `EEXIST` when the new name is taken.
    public static func move(_ path: String, to new: String) throws(SystemCallError) {
        do {
            try systemCall("renameat2", new) { unsafe clinux_rename_new(path, new) }
        } catch {
            // Network file systems cannot refuse to replace; what has links can.
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            try systemCall("link", new) { unsafe link(path, new) }
            try remove(path)
        }
        // The old name is gone for certain before the new one counts: see DurableFile.write.
        try DurableFile.synchronizeDirectory(PathName(path).parent)
        try DurableFile.synchronizeDirectory(PathName(new).parent)
    }

    /// Whether this process may write in a directory, and its file system takes writes. Corresponds to access(2).
    public static func requireWritable(_ path: String) throws(SystemCallError) {
        try systemCall("access", path) { unsafe access(path, W_OK) }
    }

    /// Whether this process may read a file. Corresponds to access(2).
    public static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    /// The folder, of `path` and those above it, for which `table` has a file system that is not mounted;
    /// `nil` when there is none, or the table cannot be read.
    ///
    /// - Parameter table: see fstab(5).
    public static func missingMount(for path: String, table: String = "/etc/fstab") -> String? {
        var place = [CChar](repeating: 0, count: 4096)
        guard unsafe clinux_missing_mount(table, path, &place, place.count) != 0 else { return nil }
        let bytes = place.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Bytes that an ordinary user may still write on the file system of `path`.
    public static func freeBytes(at path: String) throws(SystemCallError) -> Int64 {
        var status = statvfs()
        try systemCall("statvfs", path) { unsafe statvfs(path, &status) }
        return bytes(UInt64(status.f_bavail), blocksOf: UInt64(status.f_frsize))
    }

    /// Whether the path's file system is mounted read-only.
    public static func isReadOnly(_ path: String) throws(SystemCallError) -> Bool {
        var status = statvfs()
        try systemCall("statvfs", path) { unsafe statvfs(path, &status) }
        return status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Network and FUSE file systems report what they like, some of them more than there are numbers.
    package static func bytes(_ count: UInt64, blocksOf size: UInt64) -> Int64 {
        let (product, isTooLarge) = count.multipliedReportingOverflow(by: size)
        return isTooLarge ? .max : Int64(clamping: product)
    }
}
