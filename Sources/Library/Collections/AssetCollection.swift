// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// A group of assets, or a folder of albums, as of its fetch (PHAssetCollection's and
/// PHCollectionList's counterpart). Its `Codable` form is the CLI's JSON.
public struct AssetCollection: Hashable, Sendable, Identifiable, Codable {
    /// The kind of a collection.
    public enum CollectionType: String, Hashable, Sendable, Codable, CaseIterable {
        /// Assets that a person has chosen and ordered.
        case album
        /// Albums and other folders, instead of assets.
        case folder
        case smartAlbum
        /// Assets that were taken on one day, with no long time between two of them.
        case moment
        /// The assets of one visit to the kiosk.
        case session
    }

    /// The collection's identity for later fetches.
    public let id: Identifier
    /// The name for a person. Several albums can have the same one.
    public let title: String
    /// The folder that contains the collection; `nil` at the top.
    public let folder: Identifier?
    /// The number of assets in view; of all assets in an album; of direct contents in a folder. For
    /// the exact count of a fetch, see ``AssetLibrary/countOfAssets(in:_:)``.
    public let estimatedCount: Int
    /// The time of the first asset of a moment or session; `nil` if empty, and for other kinds.
    public let startDate: WallTime?
    /// The time of the last asset; `nil` when ``startDate`` is.
    public let endDate: WallTime?

    /// The kind of the collection.
    public var type: CollectionType { id.type }
}

extension AssetCollection {
    /// The identity of a collection. Its text is `album:UUID`, `folder:UUID`,
    /// `smartAlbum:favorites`, `moment:SEQUENCE` of the first asset, or `session:ID`.
    public enum Identifier: Hashable, Sendable {
        case album(UUID)
        case folder(UUID)
        case smartAlbum(SmartAlbum)
        /// A moment by its first asset. If another asset becomes the first, the moment is another.
        case moment(first: Int64)
        case session(String)

        /// Reads ``text``; `nil` for anything else.
        public init?(text: String) {
            guard let colon = text.firstIndex(of: ":"),
                let type = CollectionType(rawValue: String(text[..<colon]))
            else { return nil }
            let name = String(text[text.index(after: colon)...])
            switch type {
            case .album:
                guard let id = UUID(uuidString: name) else { return nil }
                self = .album(id)
            case .folder:
                guard let id = UUID(uuidString: name) else { return nil }
                self = .folder(id)
            case .smartAlbum:
                guard let album = SmartAlbum(rawValue: name) else { return nil }
                self = .smartAlbum(album)
            case .moment:
                guard let sequence = Int64(name) else { return nil }
                self = .moment(first: sequence)
            case .session:
                guard !name.isEmpty else { return nil }
                self = .session(name)
            }
        }

        /// The form that is stored and given to commands.
        public var text: String {
            switch self {
            case .album(let id), .folder(let id): "\(type.rawValue):\(id.text)"
            case .smartAlbum(let album): "\(type.rawValue):\(album.rawValue)"
            case .moment(let sequence): "\(type.rawValue):\(sequence)"
            case .session(let id): "\(type.rawValue):\(id)"
            }
        }

        /// The kind of the collection.
        public var type: CollectionType {
            switch self {
            case .album: .album
            case .folder: .folder
            case .smartAlbum: .smartAlbum
            case .moment: .moment
            case .session: .session
            }
        }
    }
}

extension AssetCollection.Identifier: Codable {
    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let identifier = AssetCollection.Identifier(text: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not a collection")
        }
        self = identifier
    }

    /// Writes ``text``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
