// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

/// A reader's knowledge of a library: every asset, and every album with its assets in order.
struct KnownLibrary: Equatable {
    struct Album: Equatable {
        var title: String
        var assets: [UUID]
    }

    var assets: [Int64: Asset] = [:]
    var albums: [AssetCollection.Identifier: Album] = [:]

    /// Reads the whole library.
    init(of library: some AssetSource) async throws {
        for asset in try await library.assets(in: nil) { assets[asset.sequence] = asset }
        try await readAlbums(of: library)
    }

    /// Reads what a history names.
    mutating func update(_ history: ChangeHistory, from library: some AssetSource) async throws {
        for sequence in history.deleted { assets[sequence] = nil }
        for sequence in history.inserted + history.updated {
            do {
                assets[sequence] = try await library.resource(id: "\(sequence)").asset
            } catch let error as LibraryError where error.code == .notFound {
                // The asset was purged since then, and the next history names it.
            }
        }
        for album in history.deletedCollections { albums[album] = nil }
        let changed = history.insertedCollections + history.updatedCollections
        if !changed.isEmpty { try await readAlbums(of: library, changed) }
    }

    private mutating func readAlbums(
        of library: some AssetSource, _ wanted: [AssetCollection.Identifier]? = nil
    ) async throws {
        for album in try await library.collections(CollectionFetchOptions(.albums))
        where wanted?.contains(album.id) ?? true {
            do {
                let assets = try await library.assets(in: album.id)
                albums[album.id] = Album(title: album.title, assets: assets.map(\.id))
            } catch let error as LibraryError where error.code == .notFound {
                // The album was deleted since it was listed, and the next history names it.
            }
        }
    }

    /// A line for each asset, then one for each asset in an album.
    var summary: [String] {
        let assets = assets.values.sorted { $0.sequence < $1.sequence }
        let numbers = Dictionary(uniqueKeysWithValues: assets.map { ($0.id, $0.sequence) })
        return assets.map { asset in
            let flags = [asset.isFavorite, asset.isHidden, asset.deletedAt != nil]
            return
                (["\(asset.sequence)"] + flags.map { $0 ? "1" : "0" }
                + [asset.caption ?? "", asset.keywords.joined(separator: ",")])
                .joined(separator: "|")
        }
            + albums.values.flatMap { album in
                album.assets.enumerated().map { place, asset in
                    "\(album.title)|\(place)|\(numbers[asset] ?? 0)"
                }
            }.sorted()
    }
}

extension AssetSource {
    fileprivate func assets(in album: AssetCollection.Identifier?) async throws -> [Asset] {
        var assets: [Asset] = []
        var cursor: FetchCursor?
        repeat {
            let page = try await page(in: album, .everything, after: cursor, limit: 500)
            assets += page.assets.map(\.asset)
            cursor = page.assets.isEmpty ? nil : page.next
        } while cursor != nil
        return assets
    }
}
