// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

extension LibraryLayout {
    /// Moves something to the folder quarantine/ and returns its new path. Both paths are relative
    /// to the library's folder.
    func quarantine(_ path: String) throws -> String {
        let parts = PathName(path).components
        guard !parts.contains(".."), let name = parts.last else {
            throw LibraryError(.invalidValue, "\(path): not inside the library")
        }
        let folders = ["quarantine"] + parts.dropLast()
        try FileTree.makeDirectories(folders, below: root)
        let folder = folders.joined(separator: "/")
        for attempt in 0..<1000 {
            let target = "\(folder)/\(name)" + (attempt == 0 ? "" : ".\(attempt)")
            if try FileTree.entry("\(root)/\(target)") != nil { continue }
            try FileTree.move("\(root)/\(path)", to: "\(root)/\(target)")
            return target
        }
        throw LibraryError(.conflict, "\(path): quarantine/ has a thousand files of this name")
    }
}
