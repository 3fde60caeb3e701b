// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import TestSupport
import Testing

@Suite("album order")
struct AlbumOrderTests {
    @Test("pages of an album neither repeat nor skip assets while assets are appended")
    func pages() async throws {
        var random = try await RandomLibrary(assets: 50, seed: 6)
        let library = try await random.folder.open()
        let all = try await library.assets(.everything, limit: 100)
        let order = all.shuffled(using: &random.generator)
        var request = LibraryChanges()
        let album = request.createAlbum("Fair")
        request.change(album, .addAssets(order.dropFirst(5).map(\.id), at: nil))
        _ = try await library.perform(request)
        var cursor: FetchCursor?
        var seen: [Asset] = []
        repeat {
            let page = try await library.page(in: album, .everything, after: cursor, limit: 7)
            seen += page.assets.map(\.asset)
            cursor = page.next
            if seen.count == 14 {
                // The new assets come after those already read.
                try await library.performChanges {
                    $0.change(album, .addAssets(order.prefix(5).map(\.id), at: nil))
                }
            }
        } while cursor != nil
        #expect(seen.map(\.id) == (order.dropFirst(5) + order.prefix(5)).map(\.id))
        // Sort descriptors take precedence over the album's order.
        let sorted = FetchOptions(
            sortDescriptors: [AssetSortDescriptor(.caption)], includesHidden: true,
            includesAllBurstMembers: true, includesDeleted: true)
        #expect(
            try await sequences(library.fetchAssets(in: album, sorted))
                == sorted.applied(to: all).map(\.sequence))
        await library.close()
    }

    @Test("pages neither repeat nor skip assets while the part already read changes")
    func changingPages() async throws {
        var random = try await RandomLibrary(assets: 60, seed: 6)
        let library = try await random.folder.open()
        let order = try await library.assets(.everything, limit: 100)
            .shuffled(using: &random.generator).map(\.id)
        var request = LibraryChanges()
        let album = request.createAlbum("Fair")
        request.change(album, .addAssets(Array(order[10...]), at: nil))
        _ = try await library.perform(request)
        var seen: [UUID] = []
        var cursor: FetchCursor?
        repeat {
            let page = try await library.page(in: album, .everything, after: cursor, limit: 7)
            seen += page.assets.map(\.asset.id)
            cursor = page.next
            switch seen.count {
            case 14:
                try await library.performChanges {
                    $0.change(album, .addAssets(Array(order[..<5]), at: 0))
                    $0.change(album, .addAssets(Array(order[5..<10]), at: 9))
                }
            case 28:
                try await library.performChanges {
                    $0.change(album, .removeAssets(Array(order[10..<20])))
                }
            default: break
            }
        } while cursor != nil
        #expect(seen == Array(order[10...]))
        await library.close()
    }

    @Test("changes to an album leave the rows of all other assets untouched")
    func untouched() async throws {
        let random = try await RandomLibrary(assets: 4000, seed: 9)
        let library = try await random.folder.open()
        let all = try await library.assets(.everything, limit: 4000).map(\.id)
        var request = LibraryChanges()
        let album = request.createAlbum("Long")
        request.change(album, .addAssets(Array(all[..<3000]), at: nil))
        _ = try await library.perform(request)
        _ = try await random.folder.sqlite(
            """
            CREATE TABLE touched (asset INTEGER);
            CREATE TRIGGER touches AFTER UPDATE ON album_asset BEGIN
                INSERT INTO touched VALUES (new.asset);
            END;
            """)
        request = LibraryChanges()
        for asset in all[..<2000] { request.change(album, .removeAssets([asset])) }
        for asset in all[3000..<3500] { request.change(album, .addAssets([asset], at: nil)) }
        for asset in all[3500..<3900] { request.change(album, .addAssets([asset], at: 0)) }
        request.change(album, .addAssets(Array(all[3900...]), at: 700))
        request.change(album, .moveAssets(Array(all[2000..<2010]), to: 900))
        _ = try await library.perform(request)
        #expect(try await random.folder.sqlite("SELECT count(*) FROM touched") == ["0"])
        var expected = Array(all[3500..<3900].reversed() + all[2000..<3500])
        expected.insert(contentsOf: all[3900...], at: 700)
        let moving = Set(all[2000..<2010])
        expected.removeAll(where: moving.contains)
        expected.insert(contentsOf: all[2000..<2010], at: 900)
        let found = try await sequences(library.fetchAssets(in: album, .everything))
        let names = try await library.assets(.everything, limit: 4000)
        let ids = Dictionary(uniqueKeysWithValues: names.map { ($0.sequence, $0.id) })
        #expect(found.map { ids[$0] } == expected)
        await library.close()
    }

    @Test("inserting into an album without gaps between positions keeps the order")
    func dense() async throws {
        let random = try await RandomLibrary(assets: 300, seed: 10)
        let library = try await random.folder.open()
        let all = try await library.assets(.everything, limit: 300).map(\.id)
        var request = LibraryChanges()
        let album = request.createAlbum("Old")
        request.change(album, .addAssets(Array(all[..<100]), at: nil))
        _ = try await library.perform(request)
        _ = try await random.folder.sqlite(
            "UPDATE album_asset SET position = position / (SELECT min(position) FROM album_asset) - 1"
        )
        #expect(
            try await random.folder.sqlite("SELECT min(position), max(position) FROM album_asset")
                == ["0|99"])
        var expected = Array(all[..<100])
        for asset in all[100...] {
            try await library.performChanges { $0.change(album, .addAssets([asset], at: 50)) }
            expected.insert(asset, at: 50)
        }
        let found = try await library.page(in: album, .everything, after: nil, limit: 300)
        #expect(found.assets.map(\.asset.id) == expected)
        await library.close()
    }
}
