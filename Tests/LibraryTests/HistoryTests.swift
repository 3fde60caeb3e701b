// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Synchronization
import TestSupport
import Testing

@Suite("history")
struct HistoryTests {
    @Test("the history lists each changed asset once, and can be limited to an origin")
    func history() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for number in 0..<4 { try await library.add(photo(number: Int64(number))) }
        let start = try await library.currentChangeToken()
        #expect(try await library.changes(since: start).isEmpty)
        let assets = try await library.assets(limit: 10)
        try await library.performChanges(from: .sync) { $0.change(assets[0], .setFavorite(true)) }
        try await library.performChanges { changes in
            changes.change(assets[0], .setHidden(true))
            changes.change(assets[1], .delete)
        }
        try await library.performChanges { $0.change(assets[1], .purge) }
        let five = try await library.add(photo(number: 5))
        try await library.performChanges { $0.change(five, .setFavorite(true)) }
        let six = try await library.add(photo(number: 6))
        try await library.performChanges { $0.change(six, .delete) }
        try await library.performChanges { $0.change(six, .purge) }

        let all = try await library.changes(since: start)
        #expect(all.inserted == [5] && all.updated == [1] && all.deleted == [2, 6])
        #expect(try await library.changes(since: all.token).isEmpty)
        let synced = try await library.changes(since: start, from: [.sync])
        #expect(synced.inserted == [] && synced.updated == [1] && synced.deleted == [])
        #expect(synced.token == all.token)
        // A token survives JSON and a restart.
        let written = try JSONEncoder().encode([start])
        await library.close()
        let again = try await folder.open()
        let token = try JSONDecoder().decode([ChangeToken].self, from: written)[0]
        #expect(try await again.changes(since: token) == all)
        await again.close()
    }

    @Test("a token that is expired or was never given throws expired")
    func expired() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let start = try await library.currentChangeToken()
        for number in 0..<3 { try await library.add(photo(number: Int64(number))) }
        let late = try await library.currentChangeToken()
        _ = try await folder.sqlite("DELETE FROM change WHERE token <= 2")
        await #expect(throws: Never.self) {
            try await library.changes(
                since: JSONDecoder().decode(ChangeToken.self, from: Data("2".utf8)))
        }
        for wrong in [start, try JSONDecoder().decode(ChangeToken.self, from: Data("77".utf8))] {
            let error = await #expect(throws: LibraryError.self) {
                try await library.changes(since: wrong)
            }
            #expect(error?.code == .expired)
        }
        _ = try await folder.sqlite("DELETE FROM change")
        #expect(try await library.changes(since: late).isEmpty)
        await library.close()
    }

    @Test("a result older than the history throws expired; a new fetch follows changes")
    func expiredResult() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        try await library.add(photo(number: 1))
        let result = try await library.fetchAssets()
        for number in 2...4 { try await library.add(photo(number: Int64(number))) }
        _ = try await folder.sqlite("DELETE FROM change WHERE token <= 3")
        let error = await #expect(throws: LibraryError.self) { _ = try await result.changes() }
        #expect(error?.code == .expired)
        let again = try await library.fetchAssets()
        try await library.add(photo(number: 5))
        #expect(try await again.changes()?.result.count == 5)
        await library.close()
    }

    @Test("the history drops its oldest changes in blocks beyond 100,000 changes")
    func forgetting() async throws {
        let folder = try LibraryFolder()
        try await folder.open().close()
        let insert = """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %)
            INSERT INTO change (kind, asset, origin) SELECT 'updated', 1, 'sync' FROM n
            """
        _ = try await folder.sqlite(insert.replacing("%", with: "100999"))
        #expect(try await folder.sqlite("SELECT min(token) FROM change") == ["1"])
        _ = try await folder.sqlite(insert.replacing("%", with: "1"))
        #expect(
            try await folder.sqlite("SELECT min(token), max(token) FROM change") == ["1001|101000"])
        _ = try await folder.sqlite(insert.replacing("%", with: "5000"))
        #expect(try await folder.sqlite("SELECT min(token) FROM change") == ["6001"])
    }

    @Test("a list updated with a result's changes equals a new fetch")
    func details() async throws {
        var random = try await RandomLibrary(assets: 150, seed: 21)
        let library = try await random.folder.open()
        let everything = try await library.assets(.everything, limit: 1000)
        var counts = (moved: 0, inserted: 0, removed: 0, changed: 0, none: 0)
        for round in 0..<60 {
            var options = random.options(like: everything)
            options.fetchLimit = nil
            if round % 2 == 0 {
                // Sorts by a property that the changes affect.
                let key = [AssetKey.caption, .isFavorite, .modifiedAt][round / 2 % 3]
                options.filter = nil
                options.sortDescriptors = [AssetSortDescriptor(key, ascending: round % 4 == 0)]
            }
            var result = try await library.fetchAssets(options)
            var shown = try await sequences(result)
            for _ in 0..<3 {
                try await change(library, random.someAssets(of: everything), &random)
                guard let changes = try await result.changes() else {
                    counts.none += 1
                    #expect(try await sequences(library.fetchAssets(options)) == shown)
                    continue
                }
                let fresh = try await sequences(library.fetchAssets(options))
                shown = follow(shown, changes, fresh)
                #expect(shown == fresh, "\(options)")
                result = changes.result
                counts.moved += changes.moved.count
                counts.inserted += changes.inserted.ranges.count
                counts.removed += changes.removed.ranges.count
                counts.changed += changes.changed.ranges.count
            }
        }
        // Proof that every kind of change occurred.
        #expect(
            counts.moved > 5 && counts.inserted > 5 && counts.removed > 5 && counts.changed > 5
                && counts.none > 5, "\(counts)")
        await library.close()
    }

    private func change(
        _ library: AssetLibrary, _ assets: [Asset], _ random: inout RandomLibrary
    ) async throws {
        let change = random.change()
        // Some assets may be gone.
        var present: [UUID] = []
        for asset in assets {
            if let now = try? await library.asset(id: "\(asset.sequence)") {
                present.append(now.id)
            }
        }
        let ids = present
        try await library.performChanges { $0.change(ids, change) }
    }

    @Test("observers are notified at most four times a second, of the origins they want")
    func observers() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let asset = try await library.add(photo())
        let (all, synced) = (library.changeTokens(), library.changeTokens(from: [.sync]))
        let told = Mutex<[ChangeToken]>([])
        let toldOfSyncs = Mutex<[ChangeToken]>([])
        let telling = Task { for await token in all { told.withLock { $0.append(token) } } }
        let syncing = Task {
            for await token in synced { toldOfSyncs.withLock { $0.append(token) } }
        }
        let clock = ContinuousClock()
        let start = clock.now
        for round in 0..<200 {
            try await library.performChanges { $0.change(asset, .setFavorite(round % 2 == 0)) }
        }
        try await library.performChanges(from: .sync) { $0.change(asset, .setCaption("x")) }
        let end = try await library.currentChangeToken()
        // The last change is reported when the interval is over.
        try await waitUntil {
            told.withLock { $0.last } == end && toldOfSyncs.withLock { $0.last } == end
        }
        // Nothing changes, so nobody is notified.
        try await library.performChanges { $0.change(asset, .setCaption("x")) }
        try await Task.sleep(for: .milliseconds(300))
        let seconds = Double((clock.now - start).components.seconds) + 1
        await library.close()
        await telling.value
        await syncing.value
        let tokens = told.withLock { $0 }
        #expect(
            tokens.last == end && tokens == tokens.sorted() && Set(tokens).count == tokens.count)
        #expect(
            (1...Int(4 * seconds) + 2).contains(tokens.count), "\(tokens.count) in \(seconds) s")
        #expect(toldOfSyncs.withLock { $0 } == [end])
        // After the library is closed, a new stream ends at once.
        for await _ in library.changeTokens() { Issue.record("told after the end") }
    }
}
