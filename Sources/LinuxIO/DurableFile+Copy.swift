// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

extension DurableFile {
    /// Copies a whole file and returns when the copy survives a power cut. If this process runs as
    /// root, the copy belongs to the owner of its directory.
    /// - Parameters:
    ///   - path: The name of the copy, in an existing directory.
    ///   - staging: A name in the same file system, see ``init(in:staging:reserving:unnamed:)``.
    /// - Throws: `EEXIST` if `path` is taken.
    public static func copy(
        _ source: String, to path: String, staging: String
    ) throws(SystemCallError) {
        let file = try staged(source, in: PathName(path).parent, staging: staging, unnamed: true)
        try file.publish(as: path)
        try synchronizeDirectory(PathName(path).parent)
    }

    /// Copies a whole file like ``copy(_:to:staging:)``, but replaces the file at `path`.
    /// `modified` is the copy's modification time in nanoseconds since 1970.
    public static func copy(
        _ source: String, replacing path: String, staging: String, modified: Int64
    ) throws(SystemCallError) {
        try FileTree.remove(staging)
        let file = try staged(
            source, in: PathName(path).parent, staging: staging, unnamed: false, modified: modified)
        try file.publish(replacing: path)
    }

    private static func staged(
        _ source: String, in directory: String, staging: String, unnamed: Bool,
        modified: Int64? = nil
    ) throws(SystemCallError) -> DurableFile {
        let reader = try DurableFileReader(source)
        var file = try DurableFile(
            in: directory, staging: staging,
            reserving: try FileTree.entry(source)?.bytes ?? 0, unnamed: unnamed)
        while true {
            let block = try reader.read()
            if block.isEmpty { break }
            try file.write(block)
        }
        try file.giveToOwner()
        if let modified { try FileTree.touch(staging, at: modified) }
        try file.synchronize()
        return file
    }

    /// Waits until the content that another program wrote to a file is on the medium. This does not
    /// cover the file's name. Corresponds to fsync(2).
    public static func synchronizeContent(of path: String) throws(SystemCallError) {
        let file = try OwnedDescriptor(open: path, flags: O_RDONLY | O_NOFOLLOW)
        let number = file.number
        try systemCall("fsync", path) { fsync(number) }
    }
}
