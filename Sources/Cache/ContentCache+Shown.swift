// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hashing
internal import LinuxIO

extension ContentCache {
    /// Returns the path at which ``show(_:)`` puts the file of a URL; `nil` if it is no URL.
    package static func shownPath(of url: String, in folder: String) -> String? {
        ContentURL(url).map { "\(folder)/shown/\($0.name)" }
    }

    /// Gives a file a second name that follows from its URL alone and that stays until another
    /// file of the URL takes it. Programs without the index, such as the kiosk, read it there.
    package nonisolated func show(_ result: ContentResult) throws(ContentError) {
        let place = "\(folder)/shown/\(result.item.url.name)"
        try ContentError.naming { try FileTree.replaceLink(to: result.path, at: place) }
    }

    /// Removes the second names of all files but those of `urls`.
    package nonisolated func hideAll(but urls: [String]) throws(ContentError) {
        let kept = Set(urls.compactMap { ContentURL($0)?.name })
        try ContentError.naming {
            for name in try FileTree.names(in: "\(folder)/shown") where !kept.contains(name) {
                try FileTree.remove("\(folder)/shown/\(name)")
            }
        }
    }
}
