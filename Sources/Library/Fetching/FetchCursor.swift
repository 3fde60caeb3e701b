// SPDX-License-Identifier: GPL-3.0-or-later

/// The end of a page: the values that its last asset was sorted by, and its sequence. Consecutive
/// pages neither repeat nor skip an asset, whatever is added or deleted in between.
public struct FetchCursor: Hashable, Sendable, Codable {
    /// One value for each sort descriptor; `nil` if they are read with the next page.
    let values: [AssetValue?]?
    let sequence: Int64

    /// Creates a cursor after an asset, wherever it is when the next page is read. The asset must
    /// still exist then, unless the fetch is in the order of the sequence.
    public init(sequence: Int64) {
        values = nil
        self.sequence = sequence
    }

    /// Creates a cursor after an asset's position in an album, for fetches in its order.
    init(position: Int64, sequence: Int64) {
        values = [.integer(position)]
        self.sequence = sequence
    }

    /// Creates a cursor after an asset, for fetches with the same sort descriptors.
    public init(_ asset: Asset, in options: FetchOptions) {
        values = options.sortDescriptors.map { $0.key.value(of: asset) }
        sequence = asset.sequence
    }
}
