// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Imaging
internal import Media

/// Decoded pictures, the least recently used of which go when there are more bytes than the budget.
struct PictureCache {
    /// One picture of an asset.
    struct Key: Hashable {
        let asset: UUID
        /// Of the asset's original, so that nothing stale is ever found.
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

    /// One that is larger than the whole budget is not kept.
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
    /// Memory that it takes.
    var bytes: Int { description.bufferSizes.reduce(0, +) }
}
