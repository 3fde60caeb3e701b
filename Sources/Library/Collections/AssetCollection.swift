// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// Assets that belong together, or a folder of albums, as it was when fetched (PHAssetCollection's and
/// PHCollectionList's counterpart). Its `Codable` form is the CLI's JSON.
public struct AssetCollection: Hashable, Sendable, Identifiable, Codable {
    /// What puts its assets together.
    public enum CollectionType: String, Hashable, Sendable, Codable, CaseIterable {
        /// A person, who also orders them.
        case album
        /// It holds albums and other folders instead.
        case folder
        case smartAlbum
        /// They were taken on one day, with no long time between two of them.
        case moment
        /// One visit to the kiosk.
        case session
    }

    /// What it is found by again.
    public let id: Identifier
    /// For a person. Those of albums need not differ.
    public let title: String
    /// The folder it is in; `nil` at the top.
    public let folder: Identifier?
    /// Assets in view, but in albums all; in folders what lies directly in them. Kept by the database, or
    /// counted with the fetch: ``AssetLibrary/countOfAssets(in:_:)`` counts those of one fetch.
    public let estimatedCount: Int
    /// When the first asset of a moment or session was taken; `nil` where there is none, and for others.
    public let startDate: WallTime?
    /// When its last asset was taken; `nil` as ``startDate``.
    public let endDate: WallTime?

    /// What puts its assets together.
    public var type: CollectionType { id.type }
}

extension AssetCollection {
    /// Which collection. As text `album:UUID`, `folder:UUID`, `smartAlbum:favorites`,
    /// `moment:SEQUENCE` of its first asset, `session:ID`.
    public enum Identifier: Hashable, Sendable {
        case album(UUID)
        case folder(UUID)
        case smartAlbum(SmartAlbum)
        /// By its first asset: a moment that begins with another is another.
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

        /// As it is written down and given to commands.
        public var text: String {
            switch self {
            case .album(let id), .folder(let id): "\(type.rawValue):\(id.text)"
            case .smartAlbum(let album): "\(type.rawValue):\(album.rawValue)"
            case .moment(let sequence): "\(type.rawValue):\(sequence)"
            case .session(let id): "\(type.rawValue):\(id)"
            }
        }

        /// What puts its assets together.
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
                in: container, debugDescription: "\"\(text)\" is no collection")
        }
        self = identifier
    }

    /// Writes ``text``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
