// SPDX-License-Identifier: GPL-3.0-or-later

/// Where a page ended: what its last asset was sorted by, and that asset's sequence. Pages that follow
/// each other so neither repeat nor skip an asset, whatever is added or deleted in between.
public struct FetchCursor: Hashable, Sendable, Codable {
    /// One for each sort descriptor.
    let values: [AssetValue?]
    let sequence: Int64

    /// Behind the asset with this sequence, in fetches that sort by nothing else.
    public init(sequence: Int64, in options: FetchOptions = FetchOptions()) {
        values = options.sortDescriptors.map { _ in .integer(sequence) }
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
