// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

extension AssetSource {
    /// Returns the assets that a person names, in this order and without duplicates.
    /// - Throws: ``LibraryError`` `notFound` or `ambiguous`.
    public func assets(named names: [String]) async throws -> [UUID] {
        var assets: [UUID] = []
        var seen = Set<UUID>()
        for name in names {
            let id = try await resource(id: name).asset.id
            if seen.insert(id).inserted { assets.append(id) }
        }
        return assets
    }

    /// Returns the collection with this ``AssetCollection/Identifier/text``, with this title (of an
    /// album, folder or smart album, in upper or lower case), or with an album's or folder's id
    /// that begins with this text of at least four characters.
    /// - Throws: ``LibraryError`` `notFound` or `ambiguous`.
    public func collection(named name: String) async throws -> AssetCollection {
        let all =
            try await collections(CollectionFetchOptions(.albums))
            + collections(CollectionFetchOptions(.smartAlbums))
        if let id = AssetCollection.Identifier(text: name) {
            if let known = all.first(where: { $0.id == id }) { return known }
            switch id {
            case .moment, .session:
                // There may be too many to list. A caller who knows the id has seen the collection.
                let count = try await countOfAssets(in: id, FetchOptions())
                return AssetCollection(
                    id: id, title: name, folder: nil, estimatedCount: count, startDate: nil,
                    endDate: nil)
            default: break
            }
        }
        let wanted = TextSearch.folded(name)
        let exact = all.filter { TextSearch.folded($0.title) == wanted }
        let found =
            exact.isEmpty
            ? all.filter {
                guard let uuid = $0.id.uuid, wanted.utf8.count >= 4 else { return false }
                return uuid.text.hasPrefix(wanted)
            } : exact
        guard let collection = found.first else {
            throw LibraryError(.notFound, "album \(name): none has this title or id")
        }
        guard found.count == 1 else {
            throw LibraryError(
                .ambiguous,
                "album \(name): several have this title: "
                    + found.map(\.id.text).joined(separator: ", "))
        }
        return collection
    }
}
