// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

@Suite("bursts")
struct BurstTests {
    private let folder: LibraryFolder

    init() throws { folder = try LibraryFolder() }

    private struct Look: Equatable {
        /// The sequences of the assets in view.
        var inView: [Int64]
        var standing: [Int64]

        init(_ inView: [Int64], _ standing: [Int64]) {
            (self.inView, self.standing) = (inView, standing)
        }
    }

    /// Returns the assets in view and the representatives. Checks the count of the smart album.
    private func look(_ library: AssetLibrary) async throws -> Look {
        let inView = try await library.assets(limit: 9).map(\.sequence)
        let bursts = try await library.countOfAssets(in: .smartAlbum(.bursts))
        #expect(bursts == inView.filter { $0 > 1 }.count)
        let standing = try await folder.sqlite(
            "SELECT sequence FROM asset WHERE represents_burst ORDER BY sequence")
        return Look(inView, standing.compactMap(Int64.init))
    }

    /// Returns a library with a photo, followed by a burst of three with one representative.
    private func burst(standing: Int) async throws -> (library: AssetLibrary, ids: [Asset.ID]) {
        let library = try await folder.open()
        _ = try await library.add(photo())
        var ids: [Asset.ID] = []
        for index in 0..<3 {
            var member = photo()
            member.burstID = "b"
            member.representsBurst = index == standing
            ids.append(try await library.add(member).id)
        }
        return (library, ids)
    }

    @Test("another photo takes over and is reported if a burst's representative is deleted")
    func representative() async throws {
        let (library, ids) = try await burst(standing: 1)
        var token = try await library.currentChangeToken()
        var before = try await look(library)
        func change(_ index: Int, _ change: AssetChange) async throws -> Look {
            try await library.performChanges { [id = ids[index]] in $0.change([id], change) }
            let now = try await look(library)
            // Observers must be told of both photos, or they would miss the new representative.
            let told = try await library.changes(since: token)
            let turned = Set(before.standing).symmetricDifference(now.standing)
            #expect(turned.isSubset(of: Set(told.updated + told.deleted)), "\(told)")
            (before, token) = (now, told.token)
            return now
        }
        #expect(try await look(library) == Look([1, 3], [3]))
        #expect(try await change(1, .delete) == Look([1, 2], [2]))
        // A restored photo does not become the representative again.
        #expect(try await change(1, .restore) == Look([1, 2], [2]))
        #expect(try await change(0, .delete) == Look([1, 3], [3]))
        #expect(try await change(1, .delete) == Look([1, 4], [4]))
        #expect(try await change(2, .delete) == Look([1], [4]))
        // The first photo that is restored represents the burst.
        #expect(try await change(0, .restore) == Look([1, 2], [2]))
        #expect(try await change(2, .purge) == Look([1, 2], [2]))
        #expect(try await change(0, .delete) == Look([1], [2]))
        #expect(try await change(0, .purge) == Look([1], []))
        #expect(try await change(1, .restore) == Look([1, 3], [3]))
        await library.close()
    }

    @Test("a visible photo takes over if a burst's representative is hidden")
    func standingIsHidden() async throws {
        let (library, ids) = try await burst(standing: 0)
        try await library.performChanges { $0.change([ids[0]], .setHidden(true)) }
        #expect(try await look(library) == Look([1, 3], [3]))
        // A photo that is shown again represents the burst only if no other does.
        try await library.performChanges { $0.change([ids[0]], .setHidden(false)) }
        #expect(try await look(library) == Look([1, 3], [3]))
        try await library.performChanges { $0.change(ids, .setHidden(true)) }
        #expect(try await look(library).inView == [1])
        try await library.performChanges { $0.change([ids[2]], .setHidden(false)) }
        #expect(try await look(library) == Look([1, 4], [4]))
        await library.close()
    }

    @Test("a hidden photo represents a burst only if no visible photo is left")
    func hidden() async throws {
        let (library, ids) = try await burst(standing: 0)
        try await library.performChanges { changes in
            changes.change([ids[1]], .setHidden(true))
            changes.change([ids[0]], .delete)
        }
        #expect(try await look(library) == Look([1, 4], [4]))
        try await library.performChanges { $0.change([ids[2]], .delete) }
        #expect(try await look(library) == Look([1], [3]))
        await library.close()
    }

    @Test("a chosen photo alone represents its burst; an impossible choice is refused")
    func chosen() async throws {
        let (library, ids) = try await burst(standing: 0)
        try await library.performChanges { $0.change([ids[2]], .representBurst) }
        #expect(try await look(library) == Look([1, 4], [4]))
        // Choosing the representative again is not an error and changes nothing.
        let token = try await library.currentChangeToken()
        try await library.performChanges { $0.change([ids[2]], .representBurst) }
        #expect(try await library.changes(since: token).updated.isEmpty)
        let single = try #require(try await library.assets(limit: 1).first).id
        try await library.performChanges { $0.change([ids[0]], .setHidden(true)) }
        try await library.performChanges { $0.change([ids[1]], .delete) }
        for id in [single, ids[0], ids[1]] {
            await #expect(throws: LibraryError.self) {
                try await library.performChanges { $0.change([id], .representBurst) }
            }
        }
        #expect(try await look(library) == Look([1, 4], [4]))
        let coded = try JSONEncoder().encode(AssetChange.representBurst)
        #expect(String(bytes: coded, encoding: .utf8) == "\"representBurst\"")
        #expect(try JSONDecoder().decode(AssetChange.self, from: coded) == .representBurst)
        await library.close()
    }
}
