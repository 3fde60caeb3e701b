// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs

/// An asset and where its original lies. Its `Codable` form is the asset's with `path` added.
public struct AssetResource: Hashable, Sendable, Codable {
    /// What is known of it.
    public let asset: Asset
    /// The original's file, for reading only. It never changes.
    public let path: String
    /// The file of ``Asset/alternatePhoto``, for reading only; `nil` where there is none.
    public var alternatePath: String? { alternate?.path }

    /// Bytes of the original, as far as it goes: less, or none, behind its end.
    /// - Throws: `notFound` when it is not there, `permission`, `io`.
    public func bytes(in range: Range<Int>) throws(LibraryError) -> [UInt8] {
        try OriginalFile.content(of: path, in: range, "asset \(asset.id.text)")
    }

    /// What the original says of itself, in words for a person: its EXIF by directory (`TIFF`, `Exif`, `GPS`), then by
    /// the tag's name in the standard; of a video the tags of its container, as FFmpeg names them, under `Movie`. Of a
    /// JPEG only the file's beginning is read, never the picture.
    ///
    /// - Parameter foreign: For other than JPEG, of which nothing is known without.
    /// - Throws: as ``bytes(in:)``; of other than JPEG `unsupported` where they cannot be read here, `damaged`.
    public func metadata(
        foreign: (any ForeignPictures)? = nil
    ) async throws(LibraryError) -> [String: [String: String]] {
        let beginning = try bytes(in: 0..<Self.longestHeader)
        guard JPEGBeginning(beginning) == nil, let foreign else {
            return JPEGBeginning.properties(of: beginning)
        }
        return try await foreign.metadata(of: path, "asset \(asset.id.text)")
    }

    /// EXIF is 64 KiB at the most, and may come behind other segments.
    private static let longestHeader = 256 << 10

    private enum CodingKeys: CodingKey { case path }

    init(_ row: AssetRow, in layout: LibraryLayout) {
        asset = row.asset
        path = layout.original(row.path)
    }

    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        asset = try Asset(from: decoder)
        path = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .path)
    }

    /// One object: the asset's keys and `path`.
    public func encode(to encoder: any Encoder) throws {
        try asset.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(path, forKey: .path)
    }
}

/// Assets of a fetch, and where the next page begins.
public struct AssetPage: Hashable, Sendable, Codable {
    /// In the fetch's order.
    public let assets: [AssetResource]
    /// Behind the last of them, as the library has it: an asset's JSON is less exact. `nil` when there
    /// is none.
    public let next: FetchCursor?
}
