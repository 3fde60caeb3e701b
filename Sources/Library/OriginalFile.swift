// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO

/// What can be told from an original itself.
struct OriginalFile {
    let bytes: Int64
    let sha256: [UInt8]
    /// Of a JPEG.
    let beginning: JPEGBeginning?

    /// All of it.
    static func content(
        of path: String, _ what: String
    ) throws(LibraryError) -> [UInt8] {
        do {
            let file = try DurableFileReader(path)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(try FileTree.entry(path)?.bytes ?? 0)
            while true {
                let block = try file.read()
                if block.isEmpty { return bytes }
                bytes += block
            }
        } catch {
            throw LibraryError(what, error)
        }
    }

    /// Looks through the whole file.
    static func scan(_ path: String) throws(SystemCallError) -> OriginalFile {
        let file = try DurableFileReader(path)
        var hasher = SHA256()
        var bytes: Int64 = 0
        var beginning: JPEGBeginning?
        while true {
            let block = try file.read()
            if block.isEmpty { break }
            if bytes == 0 { beginning = JPEGBeginning(block) }
            hasher.update(block)
            bytes += Int64(block.count)
        }
        return OriginalFile(
            bytes: bytes, sha256: hasher.finalize(), beginning: beginning)
    }
}
