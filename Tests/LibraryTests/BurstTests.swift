// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

@Suite("bursts")
struct BurstTests {
    private let folder: LibraryFolder

    init() throws { folder = try LibraryFolder() }

    private struct Look: Equatable {
        /// By sequence.
        var inView: [Int64]
        var standing: [Int64]

        init(_ inView: [Int64], _ standing: [Int64]) {
            (self.inView, self.standing) = (inView, standing)
        }
    }

    /// Who is in view, and who stands for a burst; the smart album agrees.
    private func look(_ library: AssetLibrary) async throws -> Look {
        let inView = try await library.assets(limit: 9).map(\.sequence)
        let bursts = try await library.countOfAssets(in: .smartAlbum(.bursts))
        #expect(bursts == inView.filter { $0 > 1 }.count)
        let standing = try await folder.sqlite(
            "SELECT sequence FROM asset WHERE represents_burst ORDER BY sequence")
        return Look(inView, standing.compactMap(Int64.init))
    }

    /// A library with a photo and after it a burst of three, of which one stands for all.
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

    @Test("another photo stands for a burst when the one that did is deleted, and all hear of it")
    func representative() async throws {
        let (library, ids) = try await burst(standing: 1)
        var token = try await library.currentChangeToken()
        var before = try await look(library)
        func change(_ index: Int, _ change: AssetChange) async throws -> Look {
            try await library.performChanges { [id = ids[index]] in $0.change([id], change) }
            let now = try await look(library)
            // Whoever shows the library hears of both, or would miss the heir.
            let told = try await library.changes(since: token)
            let turned = Set(before.standing).symmetricDifference(now.standing)
            #expect(turned.isSubset(of: Set(told.updated + told.deleted)), "\(told)")
            (before, token) = (now, told.token)
            return now
        }
        #expect(try await look(library) == Look([1, 3], [3]))
        #expect(try await change(1, .delete) == Look([1, 2], [2]))
        // It was one of the burst while it was away.
        #expect(try await change(1, .restore) == Look([1, 2], [2]))
        #expect(try await change(0, .delete) == Look([1, 3], [3]))
        #expect(try await change(1, .delete) == Look([1, 4], [4]))
        #expect(try await change(2, .delete) == Look([1], [4]))
        // The first that comes back stands for it.
        #expect(try await change(0, .restore) == Look([1, 2], [2]))
        #expect(try await change(2, .purge) == Look([1, 2], [2]))
        #expect(try await change(0, .delete) == Look([1], [2]))
        #expect(try await change(0, .purge) == Look([1], []))
        #expect(try await change(1, .restore) == Look([1, 3], [3]))
        await library.close()
    }

    @Test("the one that stands for a burst is hidden: another one does, until none is left")
    func standingIsHidden() async throws {
        let (library, ids) = try await burst(standing: 0)
        try await library.performChanges { $0.change([ids[0]], .setHidden(true)) }
        #expect(try await look(library) == Look([1, 3], [3]))
        // It stands for it again only where nothing else does.
        try await library.performChanges { $0.change([ids[0]], .setHidden(false)) }
        #expect(try await look(library) == Look([1, 3], [3]))
        try await library.performChanges { $0.change(ids, .setHidden(true)) }
        #expect(try await look(library).inView == [1])
        try await library.performChanges { $0.change([ids[2]], .setHidden(false)) }
        #expect(try await look(library) == Look([1, 4], [4]))
        await library.close()
    }

    @Test("a hidden photo stands for a burst only where there is no other")
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

    @Test("who is chosen stands for a burst alone; what cannot be chosen changes nothing")
    func chosen() async throws {
        let (library, ids) = try await burst(standing: 0)
        try await library.performChanges { $0.change([ids[2]], .representBurst) }
        #expect(try await look(library) == Look([1, 4], [4]))
        // Nothing to change is no error, and no change.
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
