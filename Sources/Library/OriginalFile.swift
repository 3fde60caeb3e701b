// SPDX-License-Identifier: GPL-3.0-or-later

internal import Crypto
internal import LinuxIO

/// What can be told from an original itself.
struct OriginalFile {
    let bytes: Int64
    let sha256: [UInt8]
    /// Of a JPEG whose frame header could be found; else 0.
    let width: Int
    let height: Int

    /// Reads the whole file.
    static func scan(_ path: String) throws(SystemCallError) -> OriginalFile {
        let file = try DurableFileReader(path)
        var hasher = SHA256()
        var bytes: Int64 = 0
        var size = (width: 0, height: 0)
        while true {
            let block = try file.read()
            if block.isEmpty { break }
            if bytes == 0 { size = jpegSize(block) ?? size }
            hasher.update(data: block)
            bytes += Int64(block.count)
        }
        return OriginalFile(
            bytes: bytes, sha256: Array(hasher.finalize()), width: size.width,
            height: size.height)
    }

    /// Follows the marker segments to the frame header (ITU-T T.81, B.1.1 and B.2.2).
    static func jpegSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        var at = 2
        while at + 9 < bytes.count, bytes[at] == 0xFF {
            let marker = bytes[at + 1]
            let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
            if isFrame {
                return (
                    Int(bytes[at + 7]) << 8 | Int(bytes[at + 8]),
                    Int(bytes[at + 5]) << 8 | Int(bytes[at + 6])
                )
            }
            at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
        }
        return nil
    }
}
