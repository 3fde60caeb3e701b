// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import TestSupport
import Testing

@Suite("albums and folders")
struct AlbumTests {
    @Test("an album behaves like an array under random additions, moves and removals")
    func model() async throws {
        var random = try await RandomLibrary(assets: 60, seed: 5)
        let library = try await random.folder.open()
        let everything = try await library.assets(.everything, limit: 100)
        var request = LibraryChanges()
        let album = request.createAlbum("Wedding")
        #expect(try await library.perform(request) == 1)
        var model: [Asset] = []
        for round in 0..<80 {
            let some = random.someAssets(of: everything)
            let place = Int.random(in: -1...30, using: &random.generator)
            switch round % 4 {
            case 0, 1:
                let at = round % 8 == 0 ? nil : place
                let new = some.filter { !model.contains($0) }
                model.insert(contentsOf: new, at: min(max(at ?? .max, 0), model.count))
                try await library.performChanges {
                    $0.change(album, .addAssets(some.map(\.id), at: at))
                }
            case 2:
                let moving = some.filter(model.contains)
                model.removeAll(where: moving.contains)
                model.insert(contentsOf: moving, at: min(max(place, 0), model.count))
                try await library.performChanges {
                    $0.change(album, .moveAssets(moving.map(\.id), to: place))
                }
            default:
                let gone = some.prefix(3).map(\.self)
                model.removeAll(where: gone.contains)
                try await library.performChanges {
                    $0.change(album, .removeAssets(gone.map(\.id)))
                }
            }
            let found = try await sequences(
                library.fetchAssets(in: album, .everything))
            #expect(found == model.map(\.sequence), "round \(round)")
        }
        let inView = model.filter { FetchOptions().matches($0) }
        #expect(!inView.isEmpty && inView.count < model.count)
        #expect(try await sequences(library.fetchAssets(in: album)) == inView.map(\.sequence))
        #expect(try await library.countOfAssets(in: album) == inView.count)
        // Triggers keep the estimated count. sqlite3 counts the rows.
        let shown = try await library.collections(CollectionFetchOptions(.albums))
        #expect(shown.map(\.estimatedCount) == [model.count])
        #expect(
            try await random.folder.sqlite("SELECT count(*) FROM album_asset")
                == ["\(model.count)"])
        await library.close()
    }

    @Test("folders hold albums and folders, not themselves, and can be deleted recursively")
    func folders() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        var request = LibraryChanges()
        let year = request.createFolder("2026")
        let summer = request.createFolder("Summer", in: year)
        let beach = request.createAlbum("Beach", in: summer)
        let party = request.createAlbum("Party")
        let hike = request.createAlbum("Hike", in: summer)
        _ = try await library.perform(request)
        func titles(_ options: CollectionFetchOptions) async throws -> [String] {
            try await library.collections(options).map(\.title)
        }
        #expect(
            try await titles(CollectionFetchOptions(.albums))
                == ["2026", "Summer", "Beach", "Hike", "Party"])
        #expect(try await titles(CollectionFetchOptions(.albums, in: .top)) == ["2026", "Party"])
        #expect(
            try await titles(CollectionFetchOptions(.albums, in: .folder(summer)))
                == ["Beach", "Hike"])
        #expect(
            try await titles(CollectionFetchOptions(.albums, includesEmpty: false))
                == ["2026", "Summer"])
        try await library.performChanges {
            $0.change(hike, .move(into: summer, at: 0))
            $0.change(party, .move(into: year, at: nil))
            $0.change(beach, .rename("  Sea "))
        }
        #expect(
            try await titles(CollectionFetchOptions(.albums))
                == ["2026", "Summer", "Hike", "Sea", "Party"])
        let refused: [(CollectionChange, LibraryError.Code)] = [
            (.move(into: summer, at: nil), .invalidValue),
            (.move(into: year, at: 0), .invalidValue),
            (.move(into: party, at: nil), .invalidValue), (.delete(recursively: false), .notEmpty),
            (.rename(" \n"), .invalidValue), (.rename("a\nb"), .invalidValue),
            (.rename("a\u{1B}[2Jb"), .invalidValue), (.rename("a\u{9B}b"), .invalidValue),
            (.rename(String(repeating: "x", count: 201)), .invalidValue),
            (.addAssets([], at: nil), .invalidValue),
        ]
        for (change, code) in refused {
            let error = await #expect(throws: LibraryError.self) {
                try await library.performChanges { $0.change(year, change) }
            }
            #expect(error?.code == code, "\(change)")
        }
        #expect(
            try await folder.sqlite("SELECT title FROM collection ORDER BY number")
                == ["2026", "Summer", "Sea", "Party", "Hike"])
        try await library.performChanges { $0.change(year, .delete(recursively: true)) }
        #expect(try await folder.sqlite("SELECT * FROM collection").isEmpty)
        for missing in [year, beach] {
            let error = await #expect(throws: LibraryError.self) {
                try await library.performChanges { $0.change(missing, .rename("x")) }
            }
            #expect(error?.code == .notFound)
        }
        await library.close()
    }

    @Test("folders nest at most 16 deep, even after a folder with subfolders is moved")
    func depth() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        var request = LibraryChanges()
        func chain(_ length: Int) -> [AssetCollection.Identifier] {
            (1..<length).reduce(into: [request.createFolder("1")]) { chain, number in
                chain.append(request.createFolder("\(number + 1)", in: chain.last))
            }
        }
        let (nine, eight) = (chain(9), chain(8))
        _ = try await library.perform(request)
        func move(_ moved: AssetCollection.Identifier, into target: AssetCollection.Identifier?)
            async throws
        {
            try await library.performChanges { $0.change(moved, .move(into: target, at: nil)) }
        }
        let error = await #expect(throws: LibraryError.self) {
            try await move(eight[0], into: nine[8])
        }
        #expect(
            error?.code == .invalidValue && error?.message.contains("16 nested folders") == true)
        try await move(eight[0], into: nine[7])
        request = LibraryChanges()
        let album = request.createAlbum("A", in: eight[7])
        _ = try await library.perform(request)
        await #expect(throws: LibraryError.self) {
            try await library.performChanges { _ = $0.createFolder("17", in: eight[7]) }
        }
        await #expect(throws: LibraryError.self) { try await move(nine[8], into: eight[7]) }
        try await move(album, into: eight[6])
        try await move(eight[1], into: nil)
        await library.close()
    }

    @Test("an album that cannot be filled is not created")
    func allOrNothing() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let asset = try await library.add(photo())
        let start = try await library.currentChangeToken()
        let error = await #expect(throws: LibraryError.self) {
            try await library.performChanges { changes in
                let album = changes.createAlbum("Half")
                changes.change(asset, .setFavorite(true))
                changes.change(album, .addAssets([asset.id, UUID()], at: nil))
            }
        }
        #expect(error?.code == .notFound)
        #expect(try await library.collections(CollectionFetchOptions(.albums)).isEmpty)
        #expect(try await library.changes(since: start).isEmpty)
        #expect(try await !library.asset(id: "1").isFavorite)
        await library.close()
    }

    @Test("the history names changed albums, and results of an album follow its changes")
    func changes() async throws {
        var random = try await RandomLibrary(assets: 40, seed: 8)
        let library = try await random.folder.open()
        let all = try await library.assets(.everything, limit: 100)
        var request = LibraryChanges()
        let folder = request.createFolder("F")
        let album = request.createAlbum("A", in: folder)
        request.change(album, .addAssets(all.prefix(20).map(\.id), at: nil))
        let start = try await library.currentChangeToken()
        try await library.perform(request, from: .import)
        var history = try await library.changes(since: start)
        #expect(history.insertedCollections == [album, folder] && history.updated.isEmpty)
        #expect(try await library.changes(since: start, from: [.sync]).isEmpty)
        var result = try await library.fetchAssets(in: album, .everything)
        var albums = try await library.fetchCollections(CollectionFetchOptions(.albums))
        var shown = try await sequences(result)
        for _ in 0..<30 {
            let some = random.someAssets(of: all)
            let place = Int.random(in: 0...20, using: &random.generator)
            try await library.performChanges {
                $0.change(album, .addAssets(some.map(\.id), at: place))
                $0.change(album, .moveAssets(some.map(\.id), to: 20 - place))
                $0.change(album, .removeAssets(some.prefix(2).map(\.id)))
            }
            guard let changes = try await result.changes() else { continue }
            let fresh = try await sequences(library.fetchAssets(in: album, .everything))
            shown = follow(shown, changes, fresh)
            #expect(shown == fresh)
            result = changes.result
        }
        history = try await library.changes(since: history.token)
        #expect(history.updatedCollections == [album] && history.updated.isEmpty)
        // No collection has moved or gone. Only the album itself has changed.
        let albumChanges = try #require(try await albums.changes())
        #expect(albumChanges.moved.isEmpty && albumChanges.removed.isEmpty)
        albums = albumChanges.result
        #expect(try await albums.changes() == nil)
        let member = try #require(try await result.firstObject())
        try await library.performChanges { $0.change(member, .delete) }
        try await library.performChanges { $0.change(member, .purge) }
        history = try await library.changes(since: history.token)
        #expect(history.updatedCollections == [album] && history.deleted == [member.sequence])
        try await library.performChanges { $0.change(album, .delete(recursively: false)) }
        history = try await library.changes(since: history.token)
        #expect(history.deletedCollections == [album] && history.updatedCollections == [folder])
        // A result of a deleted album becomes empty.
        let gone = try #require(try await result.changes())
        #expect(try await gone.result.count == 0)
        let error = await #expect(throws: LibraryError.self) {
            try await library.fetchAssets(in: album)
        }
        #expect(error?.code == .notFound)
        await library.close()
    }

    @Test("an album is found by its title, its id or the beginning of its id")
    func names() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        var request = LibraryChanges()
        let album = request.createAlbum("Über uns")
        let twin = request.createAlbum("Twin")
        _ = request.createFolder("twin")
        _ = try await library.perform(request)
        // The title in lower case, and in capitals with a combining accent.
        for name in [
            "über uns", "U\u{308}BER UNS", album.text, String(album.text.dropFirst(6).prefix(8)),
        ] {
            #expect(try await library.collection(named: name).id == album, "\(name)")
        }
        #expect(try await library.collection(named: "favourites").id == .smartAlbum(.favorites))
        #expect(try await library.collection(named: twin.text).id == twin)
        for (name, code) in [("twin", LibraryError.Code.ambiguous), ("nobody's", .notFound)] {
            let error = await #expect(throws: LibraryError.self) {
                try await library.collection(named: name)
            }
            #expect(error?.code == code)
        }
        await library.close()
    }

    @Test("changes survive the control socket's JSON, and malformed JSON is refused")
    func coding() throws {
        var request = LibraryChanges()
        let folder = request.createFolder("F")
        let album = request.createAlbum("A", in: folder)
        let assets = [UUID(), UUID()]
        request.change(assets, .setCaption("x"))
        let changes: [CollectionChange] = [
            .rename("B"), .move(into: nil, at: 3), .move(into: folder, at: nil),
            .delete(recursively: true), .addAssets(assets, at: nil), .addAssets(assets, at: 2),
            .removeAssets(assets), .moveAssets(assets, to: 1),
        ]
        for change in changes { request.change(album, change) }
        let json = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(LibraryChanges.self, from: json) == request)
        for wrong in [
            #"{"steps":[{"collection":"album:1","change":{"rename":"x"}}]}"#,
            #"{"steps":[{"assets":[],"change":{"favorite":true,"hidden":true}}]}"#,
            #"{"steps":[{"collection":"\#(album.text)","change":{"rename":"x","delete":{}}}]}"#,
        ] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(LibraryChanges.self, from: Data(wrong.utf8))
            }
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                AssetFilter.self, from: Data(#"{"keyword":"a","any":[]}"#.utf8))
        }
    }
}
