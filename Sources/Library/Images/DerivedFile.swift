// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import LinuxIO

/// A JPEG file that can be made again at any time. Writing neither waits for the medium nor throws.
enum DerivedFile {
    /// Returns the file's bytes; `nil` if it has to be made again.
    static func read(_ path: String) -> [UInt8]? {
        guard let bytes = try? OriginalFile.content(of: path, "picture") else { return nil }
        // A power cut can leave an incomplete file, because nothing waits for the medium.
        let isWhole = bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == [0xFF, 0xD9]
        return isWhole ? bytes : nil
    }

    static func isWhole(_ path: String) -> Bool { read(path) != nil }

    /// Replaces the file. Returns whether it exists now.
    @discardableResult
    static func write(_ jpeg: [UInt8], to path: String, in layout: LibraryLayout) -> Bool {
        do {
            try FileTree.remove(path)
            // The next open removes what a crash leaves there.
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
