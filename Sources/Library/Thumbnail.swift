// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// A stored thumbnail's file.
enum Thumbnail {
    /// The JPEG's bytes; `nil` when it has to be made again.
    static func read(_ path: String) -> [UInt8]? {
        guard let file = try? DurableFileReader(path) else { return nil }
        var bytes: [UInt8] = []
        while let block = try? file.read(upTo: 1 << 16) {
            if block.isEmpty { break }
            bytes += block
        }
        // It is written without waiting for the medium: a power cut can leave half of one.
        let isWhole = bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == [0xFF, 0xD9]
        return isWhole ? bytes : nil
    }

    static func isWhole(_ path: String) -> Bool { read(path) != nil }
}
