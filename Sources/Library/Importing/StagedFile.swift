// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// A file in the ``StagingFolder`` and its known properties, ready to become an asset.
public struct StagedFile: Hashable, Sendable, Codable {
    /// The id of the copy, and of the later asset.
    public internal(set) var id: UUID
    /// The SHA-256 of the copied bytes, lower-case hexadecimal.
    public let sha256: String
    /// The media type.
    public var mediaType: Asset.MediaType
    /// The file extension without a dot: lower-case letters and digits.
    public var fileExtension: String
    /// The time when the photo or video was taken.
    public var createdAt: WallTime
    /// How far ``createdAt`` can be trusted.
    public var timeConfidence: Asset.TimeConfidence
    /// Width in pixels, as stored; 0 if unknown.
    public var width: Int
    /// Height in pixels, as stored; 0 if unknown.
    public var height: Int
    /// EXIF orientation, 1 to 8.
    public var orientation: Int
    /// The playing time of a video.
    public var durationMicroseconds: Int64?
    /// The place where the photo or video was taken, if the file contains it.
    public var location: Location?
    /// The subtypes; `nil` if there are none.
    public var mediaSubtypes: MediaSubtypes?
    /// A small JPEG of the picture.
    public var thumbnail: Data?
    /// The caption, if any.
    public var caption: String?
    /// The keywords, if any.
    public var keywords: [String]?
    /// Whether the asset is a favourite; `nil` means no.
    public var isFavorite: Bool?

    /// Creates a description. The defaults mean that a value is unknown.
    public init(
        id: UUID, sha256: String, mediaType: Asset.MediaType, fileExtension: String,
        createdAt: WallTime, timeConfidence: Asset.TimeConfidence = .unknown, width: Int = 0,
        height: Int = 0, orientation: Int = 1, durationMicroseconds: Int64? = nil,
        location: Location? = nil, mediaSubtypes: MediaSubtypes? = nil, thumbnail: Data? = nil,
        caption: String? = nil, keywords: [String]? = nil, isFavorite: Bool? = nil
    ) {
        self.id = id
        self.sha256 = sha256
        self.mediaType = mediaType
        self.fileExtension = fileExtension
        self.createdAt = createdAt
        self.timeConfidence = timeConfidence
        self.width = width
        self.height = height
        self.orientation = orientation
        self.durationMicroseconds = durationMicroseconds
        self.location = location
        self.mediaSubtypes = mediaSubtypes
        self.thumbnail = thumbnail
        self.caption = caption
        self.keywords = keywords
        self.isFavorite = isFavorite
    }

    /// The changes that set the new asset's caption, keywords and favourite mark.
    var changes: [AssetChange] {
        let words = caption.map { AssetChange.setCaption($0) }
        let labels = keywords.flatMap { $0.isEmpty ? nil : AssetChange.addKeywords($0) }
        return [words, labels, isFavorite == true ? .setFavorite(true) : nil].compactMap(\.self)
    }

    /// The largest thumbnail, in bytes: a control request is limited. A few kilobytes are usual.
    static let largestThumbnail = 256 << 10

    /// Throws `invalid` if no asset can have the values, which may come from another process.
    func check() throws(LibraryError) {
        let isPossible =
            LibraryLayout.isOriginalExtension(fileExtension)
            && (0...Int(Int32.max)).contains(width) && (0...Int(Int32.max)).contains(height)
            && (1...8).contains(orientation)
            && (durationMicroseconds ?? 0) >= 0
            && (thumbnail?.count ?? 0) <= Self.largestThumbnail
        guard isPossible else {
            throw LibraryError(.invalid, "import \(id.text): no asset can have these values")
        }
        do throws(LibraryError) {
            for change in changes { _ = try change.statements(now: 0) }
        } catch {
            throw LibraryError(.invalid, "import \(id.text): \(error.message)")
        }
    }
}

/// The result of an import. It tells no more about an existing asset than a client that may only
/// add assets is allowed to know.
public struct ImportOutcome: Hashable, Sendable, Codable {
    /// The id of the new asset, or of the existing one with the same content.
    public let id: UUID
    /// The size of its original.
    public let bytes: Int64
    /// Whether the content was new. It is not if an asset in "recently deleted" has it.
    public let isNew: Bool
    /// Whether the asset is in "recently deleted".
    public let isDeleted: Bool

    init(_ asset: Asset, isNew: Bool) {
        id = asset.id
        bytes = asset.bytes
        self.isNew = isNew
        isDeleted = asset.deletedAt != nil
    }
}
