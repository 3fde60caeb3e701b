// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import LinuxIO

/// What is ready to be imported, and looked at before.
public struct StagedCopy: Sendable {
    /// Of its bytes, lower-case hexadecimal.
    public let sha256: String
    /// Where it can be looked at.
    public let path: String

    /// Of the given parts.
    public init(sha256: String, path: String) {
        self.sha256 = sha256
        self.path = path
    }
}

/// The folder of a library in which copies of files wait to be imported.
///
/// Whoever imports writes there with its own rights, and the process that has the library open makes
/// assets of it: it need not be able to read where the files come from. What is left there unfinished
/// is removed when the library is opened next.
public struct StagingFolder: Hashable, Sendable, Codable {
    /// The library's folder.
    public let library: String
    /// Bytes of free space that the library keeps for itself.
    public let reserve: Int64

    private var layout: LibraryLayout { LibraryLayout(root: library) }

    /// Of a library that is there.
    public init(library: String, reserve: Int64) {
        self.library = library
        self.reserve = reserve
    }

    /// Where the copy lies.
    public func path(of id: UUID) -> String { layout.staged(id) }

    /// SHA-256 of a file, lower-case hexadecimal.
    public static func sha256(of path: String) throws(SystemCallError) -> String {
        hexadecimal(try OriginalFile.scan(path).sha256)
    }

    /// Copies a file there and returns when the copy survives a power cut.
    ///
    /// - Returns: the copy's hash, lower-case hexadecimal.
    /// - Throws: a refusal of the source as `SystemCallError`; of the folder, or of its disk, as
    ///   ``LibraryError``.
    public func copy(_ source: String, as id: UUID) throws -> String {
        let reader = try DurableFileReader(source)
        return try copy(reader, bytes: try FileTree.entry(source)?.bytes ?? 0, as: id)
    }

    func copy(_ reader: borrowing DurableFileReader, bytes: Int, as id: UUID) throws -> String {
        try requireSpace(Int64(bytes))
        var file = try begin(id, bytes)
        var hasher = SHA256()
        var copied = 0
        // Of one that grows meanwhile no more than there is room for: it is not what was wanted anyway.
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

    /// Takes the copy away, if it is still there.
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
