// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

extension LibraryLayout {
    /// Moves something below the library's folder out of the way, to the folder quarantine/; answers where it is
    /// now.
    func quarantine(_ path: String) throws -> String {
        let parts = PathName(path).components
        guard !parts.contains(".."), let name = parts.last else {
            throw LibraryError(.invalidValue, "\(path): not below the library")
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
        throw LibraryError(.conflict, "\(path): a thousand of this name are in quarantine")
    }
}
