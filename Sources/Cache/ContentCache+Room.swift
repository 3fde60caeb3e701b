// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// The removal of files: for room, by order, and after a crash.
extension ContentCache {
    /// Removes replaced files that nobody uses any more.
    func removeReplaced() {
        replaced = replaced.filter { file in
            (try? FileLease.removeUnlessLeased("\(folder)/\(file)")) != true
        }
    }

    /// Keeps items of these URLs from eviction.
    package func setPinned(_ urls: [String]) { pinned = Set(urls.compactMap(ContentURL.init)) }

    /// Removes the items that were used longest ago until the rest fits the quota. Items in use and
    /// pinned ones stay.
    func evict() throws {
        let items = try index.items()
        var excess = items.reduce(0) { $0 + $1.bytes } - quota
        for item in items.reversed() where excess > 0 && !pinned.contains(item.url) {
            if try remove(item) { excess -= item.bytes }
        }
    }

    /// Removes an item unless somebody uses it; returns whether it is gone.
    private func remove(_ item: CachedItem) throws -> Bool {
        let path = "\(folder)/\(item.file)"
        guard try FileLease.removeUnlessLeased(path) else { return false }
        try index.remove(item)
        return true
    }

    /// Removes the item of a URL, and its unfinished download. Returns whether there was one that
    /// nobody uses.
    @discardableResult
    package func purge(_ url: String) throws(ContentError) -> Bool {
        let url = try parse(url)
        return try purge(where: { $0.url == url }, parts: { $0 == url.text }) > 0
    }

    /// Removes all items, or those that are stale, except those in use. Returns their number.
    @discardableResult
    package func purge(onlyStale: Bool) throws(ContentError) -> Int {
        try purge(
            where: { !onlyStale || $0.freshness(at: now()) != .fresh }, parts: { _ in !onlyStale })
    }

    private func purge(
        where isChosen: (CachedItem) -> Bool, parts: (String) -> Bool
    ) throws(ContentError) -> Int {
        try ContentError.naming {
            for url in try index.parts().filter(parts) {
                guard let name = ContentURL(url)?.name else { continue }
                if try FileLease.removeUnlessLeased("\(folder)/incoming/\(name)") {
                    try index.removePart(url)
                }
            }
            return try index.items().filter(isChosen).reduce(0) { try $0 + (remove($1) ? 1 : 0) }
        }
    }

    /// Removes files that the index does not know and that nobody writes or uses: a crash left
    /// them. Forgets unfinished downloads without a file.
    static func removeLeftovers(_ folder: String, _ index: ContentIndex) throws {
        let known = Set(try index.items().map(\.file))
        for name in try FileTree.names(in: "\(folder)/items") where !known.contains("items/\(name)")
        {
            try FileLease.removeUnlessLeased("\(folder)/items/\(name)")
        }
        let parts = try index.parts()
        let resumable = Set(parts.compactMap { ContentURL($0)?.name })
        let incoming = Set(try FileTree.names(in: "\(folder)/incoming"))
        for name in incoming.subtracting(resumable) {
            try FileLease.removeUnlessLeased("\(folder)/incoming/\(name)")
        }
        for url in parts where !incoming.contains(ContentURL(url)?.name ?? "") {
            try index.removePart(url)
        }
    }
}
