// SPDX-License-Identifier: GPL-3.0-or-later

/// The collections that a fetch finds, and their order.
public struct CollectionFetchOptions: Hashable, Sendable, Codable {
    /// The kind of collections to find.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A person's albums and folders, in that person's order.
        case albums
        /// All smart albums, in the order of the cases of ``SmartAlbum``.
        case smartAlbums
        /// Moments, in the order of their times.
        case moments
        /// Sessions, in the order of their first assets.
        case sessions
    }

    /// The kind of collections to find.
    public var kind: Kind
    /// For albums, the folder whose content is found.
    public var folder: Folder
    /// Whether to include collections without assets in view, and empty albums and folders.
    public var includesEmpty: Bool
    /// Whether the latest moments and sessions come first.
    public var newestFirst: Bool
    /// The maximum number of collections; `nil` for all.
    public var fetchLimit: Int?

    /// The folders to search for albums and folders.
    public enum Folder: Hashable, Sendable, Codable {
        /// All folders, each followed by its content.
        case any
        case top
        case folder(AssetCollection.Identifier)
    }

    /// Creates options that find all collections of a kind, by default.
    public init(
        _ kind: Kind, in folder: Folder = .any, includesEmpty: Bool = true,
        newestFirst: Bool = false, fetchLimit: Int? = nil
    ) {
        self.kind = kind
        self.folder = folder
        self.includesEmpty = includesEmpty
        self.newestFirst = newestFirst
        self.fetchLimit = fetchLimit
    }
}

extension CollectionFetchOptions.Folder {
    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        switch try container.decode(String.self) {
        case "any": self = .any
        case "top": self = .top
        default: self = .folder(try container.decode(AssetCollection.Identifier.self))
        }
    }

    /// Writes `"any"`, `"top"` or a folder's identifier.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .any: try container.encode("any")
        case .top: try container.encode("top")
        case .folder(let id): try container.encode(id)
        }
    }
}
