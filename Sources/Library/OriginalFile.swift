// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Hashing
internal import LinuxIO

/// The facts about an original that its file contains.
struct OriginalFile {
    let bytes: Int64
    let sha256: [UInt8]
    let beginning: JPEGBeginning?
    /// The facts of a finished movie that Vitrine recorded.
    let movie: MovieFacts?

    /// Reads the file, or the part of `range` that exists.
    static func content(
        of path: String, in range: Range<Int> = 0..<Int.max, _ what: String
    ) throws(LibraryError) -> [UInt8] {
        do {
            let file = try DurableFileReader(path)
            let end = min(range.upperBound, try FileTree.entry(path)?.bytes ?? 0)
            var offset = max(range.lowerBound, 0)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(max(end - offset, 0))
            while offset < range.upperBound {
                let block = try file.read(
                    upTo: min(range.upperBound - offset, 1 << 20), at: offset)
                if block.isEmpty { break }
                bytes += block
                offset += block.count
            }
            return bytes
        } catch {
            throw LibraryError(what, error)
        }
    }

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
        let isMovie = path.hasSuffix(".\(LibraryLayout.recordingExtension)")
        return OriginalFile(
            bytes: bytes, sha256: hasher.finalize(), beginning: beginning,
            movie: isMovie ? try MovieFile.facts(path) : nil)
    }
}
