// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
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

    /// Makes one that is not there, or not whole. It can be made again at any time: nothing is waited for, and a
    /// disk that does not take it is no error.
    static func makeIfMissing(_ path: String, of jpeg: [UInt8]) {
        guard !isWhole(path) else { return }
        do {
            let bytes = try JPEGEncoder().thumbnail(of: jpeg, decoder: JPEGDecoder())
            try FileTree.remove(path)
            var file = try DurableFile(
                in: DurableFile.parent(of: path), staging: "\(path).part", reserving: bytes.count)
            try file.write(bytes)
            try file.giveToOwner()
            try file.publishRebuildable(as: path)
        } catch {}
    }

    static func isWhole(_ path: String) -> Bool { read(path) != nil }
}
