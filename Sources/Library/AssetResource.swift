// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs

/// An asset and the path of its original. Its `Codable` form is the asset's with `path` added.
public struct AssetResource: Hashable, Sendable, Codable {
    /// The asset's properties.
    public let asset: Asset
    /// The path of the original, for reading only. The file never changes.
    public let path: String
    /// The path of the file of ``Asset/alternatePhoto``, for reading only; `nil` if there is none.
    public var alternatePath: String? { alternate?.path }

    /// Reads bytes of the original; fewer, or none, past its end.
    /// - Throws: `remoteOnly` if only a remote has it; `notFound` if the file is missing,
    ///   `permission`, `io`.
    public func bytes(in range: Range<Int>) throws(LibraryError) -> [UInt8] {
        if asset.isRemoteOnly { throw .remoteOnly(asset) }
        return try OriginalFile.content(of: path, in: range, "asset \(asset.id.text)")
    }

    /// Returns the original's own metadata as readable text, by group and tag name. The groups of
    /// EXIF are `TIFF`, `Exif` and `GPS`, with the standard's tag names. The group of a video is
    /// `Movie`, with FFmpeg's names for the container's tags. Only the beginning of a JPEG is read,
    /// never the picture.
    /// - Parameter foreign: Reads formats other than JPEG; without it they have no metadata.
    /// - Throws: The errors of ``bytes(in:)``; for formats other than JPEG also `damaged`, and
    ///   `unsupported` if they cannot be read here.
    public func metadata(
        foreign: (any ForeignPictures)? = nil
    ) async throws(LibraryError) -> [String: [String: String]] {
        let beginning = try bytes(in: 0..<Self.longestHeader)
        guard JPEGBeginning(beginning) == nil, let foreign else {
            return JPEGBeginning.properties(of: beginning)
        }
        return try await foreign.metadata(of: path, "asset \(asset.id.text)")
    }

    /// EXIF has at most 64 KiB, but other segments may precede it.
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

    /// Writes one object: the asset's keys and `path`.
    public func encode(to encoder: any Encoder) throws {
        try asset.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(path, forKey: .path)
    }
}

/// One page of a fetch.
public struct AssetPage: Hashable, Sendable, Codable {
    /// The assets, in the fetch's order.
    public let assets: [AssetResource]
    /// The cursor for the next page; `nil` on the last. It keeps the database's exact values, which
    /// an asset's JSON rounds.
    public let next: FetchCursor?
}
