// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
internal import Hashing
public import LinuxIO

/// A file that is ready to be examined and imported.
public struct StagedCopy: Sendable {
    /// The SHA-256 of its bytes, lower-case hexadecimal.
    public let sha256: String
    /// The path at which the caller can examine it.
    public let path: String

    /// Creates a description from its parts.
    public init(sha256: String, path: String) {
        self.sha256 = sha256
        self.path = path
    }
}

/// The folder of a library in which copies of files wait to be imported.
///
/// The importing process writes there with its own rights. The process that owns the library makes
/// assets of the copies, and need not be able to read the sources. Unfinished files are removed at
/// the next open.
public struct StagingFolder: Hashable, Sendable, Codable {
    /// The library's folder.
    public let library: String
    /// Bytes of free space that the library reserves.
    public let reserve: Int64

    private var layout: LibraryLayout { LibraryLayout(root: library) }

    /// Describes the folder of a library that exists.
    public init(library: String, reserve: Int64) {
        self.library = library
        self.reserve = reserve
    }

    /// Returns the path of a copy.
    public func path(of id: UUID) -> String { layout.staged(id) }

    /// Returns the SHA-256 of a file, lower-case hexadecimal.
    public static func sha256(of path: String) throws(SystemCallError) -> String {
        hexadecimal(try OriginalFile.scan(path).sha256)
    }

    /// Copies a file to the folder and returns once the copy survives a power cut.
    /// - Returns: The SHA-256 of the copy, lower-case hexadecimal.
    /// - Throws: `SystemCallError` if the source cannot be read; ``LibraryError`` if the folder or
    ///   its disk fails.
    public func copy(_ source: String, as id: UUID) throws -> String {
        let reader = try DurableFileReader(source)
        return try copy(reader, bytes: try FileTree.entry(source)?.bytes ?? 0, as: id)
    }

    func copy(_ reader: borrowing DurableFileReader, bytes: Int, as id: UUID) throws -> String {
        try requireSpace(Int64(bytes))
        var file = try begin(id, bytes)
        var hasher = SHA256()
        var copied = 0
        // Ends soon after the expected size. A file that grows is not the one to import, and no
        // space is reserved for it.
        while copied <= bytes {
            let block = try reader.read()
            if block.isEmpty { break }
            hasher.update(block)
            try write(block, to: &file)
            copied += block.count
        }
        try finish(file, id)
        return hexadecimal(hasher.finalize())
    }

    private func begin(_ id: UUID, _ bytes: Int) throws(LibraryError) -> DurableFile {
        do throws(SystemCallError) {
            return try DurableFile(
                in: layout.incoming, staging: "\(layout.incoming)/copy-\(id.text).part",
                reserving: bytes)
        } catch {
            throw refused(error)
        }
    }

    private func write(
        _ block: [UInt8], to file: inout DurableFile
    ) throws(LibraryError) {
        do throws(SystemCallError) {
            try file.write(block)
        } catch {
            throw refused(error)
        }
    }

    private func finish(_ file: consuming DurableFile, _ id: UUID) throws(LibraryError) {
        do throws(SystemCallError) {
            try file.giveToOwner()
            try file.synchronize()
            try file.publish(as: layout.staged(id))
            try DurableFile.synchronizeDirectory(layout.incoming)
        } catch {
            discard(id)
            throw refused(error)
        }
    }

    /// Removes the copy if it exists.
    public func discard(_ id: UUID) {
        try? FileTree.remove(layout.staged(id))
    }

    private func requireSpace(_ bytes: Int64) throws(LibraryError) {
        let free: Int64
        do throws(SystemCallError) {
            free = try FileTree.freeBytes(at: layout.incoming)
        } catch {
            throw refused(error)
        }
        guard free - bytes < reserve else { return }
        throw LibraryError(
            .full,
            "library \(library): \(free >> 20) MB free, \(bytes >> 20) MB more would leave less "
                + "than its reserve of \(reserve >> 20) MB")
    }

    private func refused(_ error: SystemCallError) -> LibraryError {
        LibraryError("library \(library)", error)
    }
}
