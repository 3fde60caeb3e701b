// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Hashing
internal import LinuxIO

/// Pictures made from originals, kept as JPEG files in `derived/pictures/`. Beyond the budget, the
/// least recently used are deleted. A file's modification time is its last use.
struct DerivedPictures {
    private struct Entry {
        let bytes: Int64
        var lastUse: Int64
    }

    private let layout: LibraryLayout
    private let budget: Int64
    /// The files by name. The first access deletes those beyond the budget.
    private lazy var entries = trimmed(listed(), to: budget)

    init(_ layout: LibraryLayout, budget: Int64) {
        self.layout = layout
        self.budget = budget
    }

    private func path(_ name: String) -> String { "\(layout.pictures)/\(name)" }

    /// Returns the picture's JPEG; `nil` if it has to be made.
    mutating func read(_ key: PictureCache.Key) -> [UInt8]? {
        let name = key.fileName
        guard entries[name] != nil else { return nil }
        guard let bytes = DerivedFile.read(path(name)) else {
            // The file was purged, or is incomplete.
            entries[name] = nil
            return nil
        }
        try? FileTree.touch(path(name))
        let now = nextUse()
        entries[name]?.lastUse = now
        return bytes
    }

    mutating func keep(_ jpeg: [UInt8], as key: PictureCache.Key) {
        let size = Int64(jpeg.count)
        guard size <= budget else { return }
        let name = key.fileName
        entries[name] = nil
        entries = trimmed(entries, to: budget - size)
        if DerivedFile.write(jpeg, to: path(name), in: layout) {
            entries[name] = Entry(bytes: size, lastUse: nextUse())
        }
    }

    mutating func remove(_ key: PictureCache.Key) {
        let name = key.fileName
        entries[name] = nil
        try? FileTree.remove(path(name))
    }

    /// Deletes the least recently used files beyond the budget, and returns the others.
    private func trimmed(_ entries: [String: Entry], to budget: Int64) -> [String: Entry] {
        var entries = entries
        var total = entries.values.reduce(0) { $0 + $1.bytes }
        while total > budget, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            try? FileTree.remove(path(oldest.key))
            entries[oldest.key] = nil
            total -= oldest.value.bytes
        }
        return entries
    }

    private func listed() -> [String: Entry] {
        var found: [String: Entry] = [:]
        for name in (try? FileTree.names(in: layout.pictures)) ?? [] {
            guard let entry = try? FileTree.entry(path(name)), entry.kind == .file else { continue }
            found[name] = Entry(bytes: Int64(entry.bytes), lastUse: entry.modified)
        }
        return found
    }

    /// Returns a time later than all earlier uses, even if the clock was set back.
    private mutating func nextUse() -> Int64 {
        max(Clock.wall, (entries.values.map(\.lastUse).max() ?? 0) + 1)
    }
}

extension PictureCache.Key {
    /// The name of the file. It begins with the asset's id, by which a purge finds it.
    fileprivate var fileName: String {
        let words = [
            sha256, "\(orientation)", adjustment?.stored ?? "", "\(size.target)",
            size.contentMode.rawValue, size.resizeMode.rawValue,
        ]
        let hash = SHA256.hash([Array(words.joined(separator: " ").utf8)])
        return "\(asset.text)-\(hexadecimal(hash.prefix(8))).jpg"
    }
}
