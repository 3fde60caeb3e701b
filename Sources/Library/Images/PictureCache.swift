// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Imaging
internal import Media

/// A cache of decoded pictures. Beyond its budget, the least recently used are removed.
struct PictureCache {
    struct Key: Hashable {
        let asset: UUID
        /// The hash of the asset's original, which prevents stale pictures.
        let sha256: String
        let orientation: Int
        let adjustment: AssetAdjustment?
        let size: ImageSize
    }

    private struct Entry {
        let picture: StillPicture
        var lastUse: Int64
    }

    let budget: Int
    private(set) var bytes = 0
    private var entries: [Key: Entry] = [:]
    private var uses: Int64 = 0

    init(budget: Int) { self.budget = budget }

    var count: Int { entries.count }

    func contains(_ key: Key) -> Bool { entries[key] != nil }

    mutating func picture(_ key: Key) -> StillPicture? {
        guard let entry = entries[key] else { return nil }
        uses += 1
        entries[key]?.lastUse = uses
        return entry.picture
    }

    /// Adds a picture, unless it is larger than the whole budget.
    mutating func keep(_ picture: StillPicture, as key: Key) {
        let size = picture.bytes
        guard size <= budget else { return }
        remove(key)
        while bytes + size > budget,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            remove(oldest.key)
        }
        uses += 1
        entries[key] = Entry(picture: picture, lastUse: uses)
        bytes += size
    }

    private mutating func remove(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { bytes -= entry.picture.bytes }
    }

    mutating func removeAll() {
        entries = [:]
        bytes = 0
    }
}

extension StillPicture {
    var bytes: Int { description.bufferSizes.reduce(0, +) }
}
