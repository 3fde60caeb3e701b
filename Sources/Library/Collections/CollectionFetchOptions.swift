// SPDX-License-Identifier: GPL-3.0-or-later

/// Which collections a fetch finds, and in which order.
public struct CollectionFetchOptions: Hashable, Sendable, Codable {
    /// The kinds that are wanted.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A person's albums and the folders they are in, in their order.
        case albums
        /// In the order of the cases of ``SmartAlbum``.
        case smartAlbums
        /// In the order of their times.
        case moments
        /// In the order of their first assets.
        case sessions
    }

    /// Which kind.
    public var kind: Kind
    /// Of albums, whose they are.
    public var folder: Folder
    /// Also those with nothing in view; albums with nothing in them.
    public var includesEmpty: Bool
    /// Of moments and sessions, the last one first.
    public var newestFirst: Bool
    /// At the most so many; `nil` for all.
    public var fetchLimit: Int?

    /// Where albums and folders are looked for.
    public enum Folder: Hashable, Sendable, Codable {
        /// In all folders, each followed by what is in it.
        case any
        case top
        case folder(AssetCollection.Identifier)
    }

    /// All of a kind, unless said otherwise.
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

    /// `"any"`, `"top"` or a folder's id.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .any: try container.encode("any")
        case .top: try container.encode("top")
        case .folder(let id): try container.encode(id)
        }
    }
}
