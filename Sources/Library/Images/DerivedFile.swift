// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import LinuxIO

/// A JPEG file that can be made again at any time: nothing is waited for, and a disk that does not take it is no error.
enum DerivedFile {
    /// The file's bytes; `nil` when it has to be made again.
    static func read(_ path: String) -> [UInt8]? {
        guard let bytes = try? OriginalFile.content(of: path, "picture") else { return nil }
        // It is written without waiting for the medium: a power cut can leave half of one.
        let isWhole = bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == [0xFF, 0xD9]
        return isWhole ? bytes : nil
    }

    static func isWhole(_ path: String) -> Bool { read(path) != nil }

    /// Puts it in the place of what is there. Answers whether it is there now.
    @discardableResult
    static func write(_ jpeg: [UInt8], to path: String, in layout: LibraryLayout) -> Bool {
        do {
            try FileTree.remove(path)
            // What a crash leaves there is taken away at the next open.
            var file = try DurableFile(
                in: PathName(path).parent, staging: layout.staging(UUID()), reserving: 0)
            try file.write(jpeg)
            try file.giveToOwner()
            try file.publishRebuildable(as: path)
            return true
        } catch {
            return false
        }
    }
}
