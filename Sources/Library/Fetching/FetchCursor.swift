// SPDX-License-Identifier: GPL-3.0-or-later

/// Where a page ended: what its last asset was sorted by, and that asset's sequence. Pages that follow
/// each other so neither repeat nor skip an asset, whatever is added or deleted in between.
public struct FetchCursor: Hashable, Sendable, Codable {
    /// One for each sort descriptor; `nil` for where the asset is when the page is read.
    let values: [AssetValue?]?
    let sequence: Int64

    /// Behind the asset with this sequence, wherever that is in a fetch when the next page is read. It must still be
    /// there then, unless the fetch is in the order of the sequence.
    public init(sequence: Int64) {
        values = nil
        self.sequence = sequence
    }

    /// Behind the asset that is there in an album, in fetches that keep its order.
    init(position: Int64, sequence: Int64) {
        values = [.integer(position)]
        self.sequence = sequence
    }

    /// Behind this asset, in fetches that sort so.
    public init(_ asset: Asset, in options: FetchOptions) {
        values = options.sortDescriptors.map { $0.key.value(of: asset) }
        sequence = asset.sequence
    }
}
