// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// The cause of a change, by which readers can select.
public enum ChangeOrigin: String, Hashable, Sendable, Codable, CaseIterable {
    /// A photo or clip was taken.
    case capture
    case `import`
    case sync
    /// A person acted, at the screen or the command line.
    case `operator`
    /// Times were corrected when the clock became right.
    case clock
    /// A recovery repaired what a crash left behind.
    case recovery
    /// The retention policy removed assets.
    case retention
}

/// Changes that are made together or not at all (PHPhotoLibrary.performChanges' counterpart). The
/// control socket accepts the `Codable` form.
public struct LibraryChanges: Hashable, Sendable, Codable {
    enum Step: Hashable, Sendable {
        case assets([UUID], AssetChange)
        case createAsset(StagedFile)
        /// Creates an album or folder with this identifier.
        case create(AssetCollection.Identifier, title: String, in: AssetCollection.Identifier?)
        case collection(AssetCollection.Identifier, CollectionChange)
    }

    private(set) var steps: [Step] = []

    /// Creates an empty list of changes.
    public init() {}

    /// Adds a change of these assets.
    public mutating func change(_ assets: some Sequence<UUID>, _ change: AssetChange) {
        steps.append(.assets(Array(assets), change))
    }

    /// Adds a change of this asset.
    public mutating func change(_ asset: Asset, _ change: AssetChange) {
        self.change([asset.id], change)
    }

    /// Adds an asset made from a file in the ``StagingFolder``. Returns its id for later changes.
    public mutating func createAsset(_ file: StagedFile) -> UUID {
        steps.append(.createAsset(file))
        return file.id
    }

    var newFiles: [StagedFile] {
        steps.compactMap { if case .createAsset(let file) = $0 { file } else { nil } }
    }

    /// Adds an empty album at the end of its folder. Returns its identifier for later changes.
    public mutating func createAlbum(
        _ title: String, in folder: AssetCollection.Identifier? = nil
    ) -> AssetCollection.Identifier {
        create(.album(UUID()), title, in: folder)
    }

    /// Adds an empty folder at the end of its parent. Returns its identifier for later changes.
    public mutating func createFolder(
        _ title: String, in folder: AssetCollection.Identifier? = nil
    ) -> AssetCollection.Identifier {
        create(.folder(UUID()), title, in: folder)
    }

    private mutating func create(
        _ id: AssetCollection.Identifier, _ title: String, in folder: AssetCollection.Identifier?
    ) -> AssetCollection.Identifier {
        steps.append(.create(id, title: title, in: folder))
        return id
    }

    /// Adds a change of this album or folder.
    public mutating func change(
        _ collection: AssetCollection.Identifier, _ change: CollectionChange
    ) {
        steps.append(.collection(collection, change))
    }
}

extension LibraryChanges.Step: Codable {
    private enum CodingKeys: String, CodingKey {
        case assets, createAsset, create, title, folder, collection, change
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let assets = try values.decodeIfPresent([UUID].self, forKey: .assets) {
            self = .assets(assets, try values.decode(AssetChange.self, forKey: .change))
        } else if let file = try values.decodeIfPresent(StagedFile.self, forKey: .createAsset) {
            self = .createAsset(file)
        } else if let id = try values.decodeIfPresent(
            AssetCollection.Identifier.self, forKey: .create)
        {
            self = .create(
                id, title: try values.decode(String.self, forKey: .title),
                in: try values.decodeIfPresent(AssetCollection.Identifier.self, forKey: .folder))
        } else {
            self = .collection(
                try values.decode(AssetCollection.Identifier.self, forKey: .collection),
                try values.decode(CollectionChange.self, forKey: .change))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .assets(let assets, let change):
            try values.encode(assets, forKey: .assets)
            try values.encode(change, forKey: .change)
        case .createAsset(let file): try values.encode(file, forKey: .createAsset)
        case .create(let id, let title, let folder):
            try values.encode(id, forKey: .create)
            try values.encode(title, forKey: .title)
            try values.encodeIfPresent(folder, forKey: .folder)
        case .collection(let id, let change):
            try values.encode(id, forKey: .collection)
            try values.encode(change, forKey: .change)
        }
    }
}
