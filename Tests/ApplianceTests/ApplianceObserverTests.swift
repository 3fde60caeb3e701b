// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import CommandProtocol
import Commands
import Diagnostics
import Foundation
import Library
import LibraryService
import Testing
import TestSupport

/// An observer in the appliance itself, such as its gallery. Tokens tell it that the library has
/// changed, and a fetch result's changes tell it the positions.
private struct Observer: Sendable {
    let library: AssetLibrary

    /// The assets that the observer shows, and how often they changed.
    struct View {
        var assets: [Asset]
        var updates = 0
    }

    /// Follows until `isLast` holds, and then to the end. Objects are read in their current state,
    /// which may be newer than the reported change.
    func run(until isLast: @Sendable ([Asset]) -> Bool) async throws -> View {
        // The tokens begin before the fetch, so that changes in between are reported.
        let tokens = library.changeTokens()
        var result = try await library.fetchAssets(.everything)
        var view = View(assets: try await Self.assets(result))
        for await _ in tokens {
            while let changes = try await result.changes() {
                result = changes.result
                view.assets = try await Self.apply(changes, to: view.assets)
                view.updates += 1
            }
            if isLast(view.assets) { break }
        }
        return view
    }

    /// Applies changes in three steps, as a list on a screen does, and reads only new objects.
    private static func apply(_ changes: AssetChanges, to shown: [Asset]) async throws -> [Asset] {
        var assets = shown
        let moving = changes.moved.map { (asset: shown[$0.from], to: $0.to) }
        var gone = changes.removed
        for move in changes.moved { gone.insert(move.from, within: shown.indices) }
        assets.removeSubranges(gone)
        var coming: [(asset: Asset, to: Int)] = moving
        for range in changes.inserted.ranges {
            for place in range {
                coming.append((try #require(try await changes.result.object(at: place)), place))
            }
        }
        for (asset, place) in coming.sorted(by: { $0.to < $1.to }) {
            assets.insert(asset, at: place)
        }
        for range in changes.changed.ranges {
            for place in range {
                assets[place] = try #require(try await changes.result.object(at: place))
            }
        }
        return assets
    }

    private static func assets(_ result: FetchResult<Asset>) async throws -> [Asset] {
        var assets: [Asset] = []
        try await result.enumerate { asset, _ in
            assets.append(asset)
            return true
        }
        return assets
    }
}

@Suite("Observer in the appliance", .ownThread, .timeLimit(.common))
struct ApplianceObserverTests {
    @Test("an observer in the appliance agrees with two clients after thousands of changes")
    func mixedChanges() async throws {
        let folder = try TemporaryFolder()
        let appliance = try Appliance.simulated(in: folder)
        try await appliance.start()
        try await appliance.wait { await $0.workingParts().isGood }
        let library = try #require(await appliance.library.library)
        let socket = folder.path(of: "control.sock")
        let control = try ControlClient(paths: [socket])
        for _ in 0..<12 { let _: Asset = try control.request("capture.photo") }
        let client = RemoteLibrary(try ControlClient(paths: [socket]))
        let ids = try await KnownLibrary(of: client).assets.values
            .sorted { $0.sequence < $1.sequence }.map(\.id)
        #expect(ids.count == 12)
        var first = LibraryChanges()
        let shared = first.createAlbum("shared")
        _ = try await client.perform(first)

        let changes = byTier(usual: 1000, day: 5000, full: 5000)
        let last = "the last"
        let observer = Observer(library: library)
        async let view = observer.run { $0.contains { $0.caption == last } }
        let clients = ["anna", "ben"].enumerated().map { number, name in
            ChangingClient(
                name: name, socket: socket,
                own: ids.indices.filter { $0 % 2 == number }.map { ids[$0] }, all: ids,
                shared: shared, seed: UInt64(number + 10))
        }
        async let anna = clients[0].run(changes: changes)
        async let ben = clients[1].run(changes: changes)
        let models = try await [anna, ben]
        var end = LibraryChanges()
        end.change([ids[0]], .setCaption(last))
        _ = try await client.perform(end)

        let seen = try await view
        let now = try await KnownLibrary(of: library)
        #expect(seen.updates > changes / 500)
        #expect(seen.assets == now.assets.values.sorted { $0.sequence < $1.sequence })
        // A client reads times with a resolution of one millisecond.
        #expect(try await KnownLibrary(of: client).summary == now.summary)
        #expect(models.allSatisfy { $0.changes >= changes })
        clients[1].check(models[1], in: now)
        await appliance.stop()
    }
}
