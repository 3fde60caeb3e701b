// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// A file in the ``StagingFolder``, and what is known of it: ready to become an asset.
public struct StagedFile: Hashable, Sendable, Codable {
    /// The asset's, later.
    public internal(set) var id: UUID
    /// Of the bytes that were copied, lower-case hexadecimal.
    public let sha256: String
    /// What it is.
    public var mediaType: Asset.MediaType
    /// Without dot: letters and digits, lower case.
    public var fileExtension: String
    /// When it was taken.
    public var createdAt: WallTime
    /// How far ``createdAt`` can be trusted.
    public var timeConfidence: Asset.TimeConfidence
    /// Pixels, as stored; 0 when not known.
    public var width: Int
    /// Pixels, as stored; 0 when not known.
    public var height: Int
    /// EXIF orientation, 1 to 8.
    public var orientation: Int
    /// How long it plays; of videos.
    public var durationMicroseconds: Int64?
    /// Where it was taken, if it says so.
    public var location: Location?
    /// What it is besides; `nil` is nothing.
    public var mediaSubtypes: MediaSubtypes?
    /// A small JPEG of it.
    public var thumbnail: Data?
    /// The caption; `nil` without one.
    public var caption: String?
    /// The keywords; `nil` without any.
    public var keywords: [String]?
    /// Whether it is a favourite; `nil` is no.
    public var isFavorite: Bool?

    /// What cannot be known before it is looked at has the value for "not known".
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

    /// The changes that give the asset its words.
    var changes: [AssetChange] {
        let words = caption.map { AssetChange.setCaption($0) }
        let labels = keywords.flatMap { $0.isEmpty ? nil : AssetChange.addKeywords($0) }
        return [words, labels, isFavorite == true ? .setFavorite(true) : nil].compactMap(\.self)
    }

    /// A thumbnail is a few kilobytes, and a request has an end.
    static let largestThumbnail = 256 << 10

    /// - Throws: `invalid` for what no asset can be; it may come from another process.
    func check() throws(LibraryError) {
        let isPossible =
            LibraryLayout.isOriginalExtension(fileExtension)
            && (0...Int(Int32.max)).contains(width) && (0...Int(Int32.max)).contains(height)
            && (1...8).contains(orientation)
            && (durationMicroseconds ?? 0) >= 0
            && (thumbnail?.count ?? 0) <= Self.largestThumbnail
        guard isPossible else {
            throw LibraryError(.invalid, "import \(id.text): no asset can be like this")
        }
        do throws(LibraryError) {
            for change in changes { _ = try change.statements(now: 0) }
        } catch {
            throw LibraryError(.invalid, "import \(id.text): \(error.message)")
        }
    }
}

/// What became of a file that was to be imported. Of an asset that has been there it says no more than whoever may
/// only add has to know.
public struct ImportOutcome: Hashable, Sendable, Codable {
    /// The new asset, or the one that has the same content.
    public let id: UUID
    /// Of its original.
    public let bytes: Int64
    /// False for a content that was there already, in "recently deleted" too.
    public let isNew: Bool
    /// Whether it is in "recently deleted".
    public let isDeleted: Bool

    init(_ asset: Asset, isNew: Bool) {
        id = asset.id
        bytes = asset.bytes
        self.isNew = isNew
        isDeleted = asset.deletedAt != nil
    }
}
