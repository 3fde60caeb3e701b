// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Commands
import Foundation
import Library
import LinuxIO
import TestSupport
import Testing

/// A client of the control socket that changes assets and albums at random and models the expected
/// result. Other clients may change other assets, and other keywords of the same assets.
struct ChangingClient: Sendable {
    let name: String
    let socket: String
    /// The assets that only this client changes, except for their keywords.
    let own: [UUID]
    let all: [UUID]
    /// The album to which every client adds its own assets.
    let shared: AssetCollection.Identifier
    /// The files from which the client makes assets.
    var files: [StagedFile] = []
    let seed: UInt64

    /// The expected result.
    struct Model {
        struct Traits: Equatable {
            var (isFavorite, isHidden, isDeleted) = (false, false, false)
            var caption: String?
        }

        var traits: [UUID: Traits] = [:]
        var keywords: [UUID: Set<String>] = [:]
        var albums: [AssetCollection.Identifier: KnownLibrary.Album] = [:]
        /// The client's own assets in the shared album.
        var shared: Set<UUID> = []
        /// The files from which no assets have been made yet.
        var files: [StagedFile] = []
        /// The assets made from files, and those that were purged since.
        var (imported, purged) = (Set<UUID>(), Set<UUID>())
        /// The number of changes made, and of transactions refused.
        var (changes, refused) = (0, 0)
    }

    /// Runs until `changes` changes are made.
    func run(changes: Int) async throws -> Model {
        let library = RemoteLibrary(try ControlClient(paths: [socket]))
        var random = Seeded(seed)
        var model = Model()
        for asset in own { model.traits[asset] = Model.Traits() }
        model.files = files
        while model.changes < changes {
            var next = model
            var transaction = LibraryChanges()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                step(&transaction, &next, &random)
            }
            if Int.random(in: 0..<10, using: &random) == 0 {
                transaction.change([UUID()], .setFavorite(true))
                await #expect { try await library.perform(transaction) } throws: {
                    ($0 as? LibraryError)?.code == .notFound
                }
                model.refused += 1
                // A refused transaction removes its files.
                model.files = next.files
            } else {
                _ = try await library.perform(transaction)
                model = next
            }
        }
        return model
    }

    private func step(
        _ transaction: inout LibraryChanges, _ model: inout Model, _ random: inout Seeded
    ) {
        let asset = own.randomElement(using: &random) ?? UUID()
        let any = all.randomElement(using: &random) ?? UUID()
        let album = model.albums.keys.min { "\($0)" < "\($1)" }
        model.changes += 1
        switch Int.random(in: 0..<18, using: &random) {
        case 0, 1:
            let isSo = Bool.random(using: &random)
            transaction.change([asset], .setFavorite(isSo))
            model.traits[asset]?.isFavorite = isSo
        case 2:
            let isSo = Bool.random(using: &random)
            transaction.change([asset], .setHidden(isSo))
            model.traits[asset]?.isHidden = isSo
        case 3, 4:
            let caption = "\(name) \(Int.random(in: 0..<1000, using: &random))"
            transaction.change([asset], .setCaption(caption))
            model.traits[asset]?.caption = caption
        case 5:
            transaction.change([asset], .delete)
            model.traits[asset]?.isDeleted = true
        case 6, 7:
            transaction.change([asset], .restore)
            model.traits[asset]?.isDeleted = false
        case 8, 9:
            let word = "\(name)\(Int.random(in: 0..<8, using: &random))"
            transaction.change([any], .addKeywords([word]))
            model.keywords[any, default: []].insert(word)
        case 10:
            let word = "\(name)\(Int.random(in: 0..<8, using: &random))"
            transaction.change([any], .removeKeywords([word]))
            model.keywords[any]?.remove(word)
        case 11:
            transaction.change(shared, .addAssets([asset], at: nil))
            model.shared.insert(asset)
        case 12:
            transaction.change(shared, .removeAssets([asset]))
            model.shared.remove(asset)
        case 13 where model.albums.count < 3:
            let title = "\(name)'s \(Int.random(in: 0..<1000, using: &random))"
            let album = transaction.createAlbum(title)
            transaction.change(album, .addAssets([any, asset], at: 0))
            model.albums[album] = KnownLibrary.Album(
                title: title, assets: any == asset ? [any] : [any, asset])
        case 13:
            guard let album else { return }
            transaction.change(album, .delete(recursively: false))
            model.albums[album] = nil
        case 14:
            guard let album, let known = model.albums[album]?.assets else { return }
            transaction.change(album, .addAssets([any], at: 0))
            if !known.contains(any) { model.albums[album]?.assets.insert(any, at: 0) }
        case 15:
            guard let file = model.files.popLast() else { return }
            model.imported.insert(transaction.createAsset(file))
            transaction.change([file.id], .setCaption(name))
        case 16:
            guard let asset = model.imported.min(by: { $0.uuidString < $1.uuidString }) else {
                return
            }
            transaction.change([asset], .delete)
            transaction.change([asset], .purge)
            model.imported.remove(asset)
            model.purged.insert(asset)
        default:
            guard let album, let last = model.albums[album]?.assets.last else { return }
            transaction.change(album, .moveAssets([last], to: 0))
            model.albums[album]?.assets.removeLast()
            model.albums[album]?.assets.insert(last, at: 0)
        }
    }

    /// Checks that the library contains the expected result.
    func check(_ model: Model, in library: KnownLibrary) {
        for asset in library.assets.values {
            if let traits = model.traits[asset.id] {
                let now = Model.Traits(
                    isFavorite: asset.isFavorite, isHidden: asset.isHidden,
                    isDeleted: asset.deletedAt != nil, caption: asset.caption)
                #expect(now == traits, "\(name): \(asset.sequence)")
            }
            let words = Set(asset.keywords.filter { $0.hasPrefix(name) })
            #expect(words == model.keywords[asset.id] ?? [], "\(name): \(asset.sequence)")
        }
        let imported = library.assets.values.filter { !all.contains($0.id) && $0.caption == name }
        #expect(Set(imported.map(\.id)) == model.imported)
        let hashes = Dictionary(uniqueKeysWithValues: files.map { ($0.id, $0.sha256) })
        #expect(imported.allSatisfy { $0.sha256 == hashes[$0.id] })
        #expect(library.albums.filter { $0.value.title.hasPrefix(name) } == model.albums)
        let members = Set(library.albums[shared]?.assets ?? [])
        #expect(members.intersection(own) == model.shared)
    }
}

/// A client of the control socket that reads everything once, and from then on only what the
/// history of changes names.
struct Follower: Sendable {
    let socket: String

    /// Follows until `isOver` holds, and then to the end. Albums are read in their current state,
    /// which may be newer than the history.
    func run(
        until isOver: @Sendable (KnownLibrary) -> Bool
    ) async throws -> (known: KnownLibrary, batches: Int) {
        let library = RemoteLibrary(try ControlClient(paths: [socket]))
        var token = try await library.changes(since: nil, from: nil, waits: false).token
        var known = try await KnownLibrary(of: library)
        var batches = 0
        while true {
            let knowsLast = isOver(known)
            let history = try await library.changes(since: token, from: nil, waits: !knowsLast)
            token = history.token
            if history.isEmpty {
                if knowsLast { return (known, batches) }
                continue
            }
            batches += 1
            try await known.update(history, from: library)
        }
    }
}
