// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import LinuxIO
import Synchronization
import TestSupport
import Testing

@Suite("retention")
struct RetentionTests {
    private let folder: LibraryFolder
    private static let day: Int64 = 86_400_000_000_000

    init() throws { folder = try LibraryFolder() }

    /// Adds photos: the first 19.5 days old, each following one a day younger, the fourth a
    /// favourite.
    private func filled(_ count: Int) async throws -> AssetLibrary {
        let library = try await folder.open()
        for number in 1...count {
            try await library.add(photo(number: Int64(number)))
        }
        await library.close()
        _ = try await folder.sqlite(
            """
            UPDATE asset SET created_at = \(Clock.wall) + \(Self.day / 2) - (21 - sequence) * \(Self.day),
                time_confidence = 'synchronized', favorite = sequence = 4
            """)
        return try await folder.open()
    }

    private func left(_ library: AssetLibrary) async throws -> [Int64] {
        try await library.assets(.everything, limit: 1000).map(\.sequence)
    }

    @Test("deleted assets are purged after their days, unless they are restored")
    func deleted() async throws {
        var library = try await filled(6)
        let ids = try await library.assets(.everything, limit: 10).map(\.id)
        try await library.performChanges { $0.change(ids[..<3], .delete) }
        let policy = RetentionPolicy(deletedDays: 30)
        func purgeTimes(_ library: AssetLibrary) async throws -> [Double] {
            try await library.assets(.everything, limit: 10).compactMap(\.purgesAt).map {
                (Double($0.nanoseconds - Clock.wall) / Double(Self.day) * 1000).rounded() / 1000
            }
        }
        let wrong = try await library.applyRetention(policy, clockIsRight: false)
        #expect(wrong.isWaitingForClock && wrong.count == 0)
        #expect(try await purgeTimes(library) == [])
        #expect(try await library.applyRetention(policy, clockIsRight: true).count == 0)
        #expect(try await purgeTimes(library) == [30, 30, 30])
        // A shorter period applies to assets deleted before, a longer one does not.
        _ = try await library.applyRetention(RetentionPolicy(deletedDays: 7), clockIsRight: true)
        _ = try await library.applyRetention(policy, clockIsRight: true)
        #expect(try await purgeTimes(library) == [7, 7, 7])
        try await library.performChanges { $0.change([ids[1]], .restore) }
        #expect(try await purgeTimes(library) == [7, 7])
        await library.close()
        _ = try await folder.sqlite(
            "UPDATE asset SET purge_at = 1 WHERE purge_at IS NOT NULL AND sequence < 3")
        library = try await folder.open()
        #expect(try await library.applyRetention(policy, clockIsRight: false).count == 0)
        #expect(
            try await library.applyRetention(RetentionPolicy(), clockIsRight: true).count == 0)
        let token = try await library.currentChangeToken()
        let gone = try await library.applyRetention(policy, clockIsRight: true)
        #expect(gone.counts == [.deleted: 1] && gone.items.map(\.sequence) == [1])
        #expect(try await left(library) == [2, 3, 4, 5, 6])
        #expect(try await folder.originals().count == 5)
        let history = try await library.changes(since: token, from: [.retention])
        #expect(history.deleted == [1])
        await library.close()
    }

    @Test("the oldest assets beyond the age or count limit are removed, never favourites")
    func rules() async throws {
        let policies: [(RetentionPolicy, [Int64], [RetentionReason: Int])] = [
            (
                RetentionPolicy(mostDays: 14, requiresSync: false), [4, 7, 8, 9, 10, 11, 12],
                [.age: 5]
            ),
            (
                RetentionPolicy(mostAssets: 5, requiresSync: false), [4, 8, 9, 10, 11, 12],
                [.count: 6]
            ),
            (
                RetentionPolicy(mostDays: 17, mostAssets: 5, requiresSync: false),
                [4, 8, 9, 10, 11, 12], [.age: 3, .count: 3]
            ),
            (RetentionPolicy(mostAssets: 0, requiresSync: false), [4], [.count: 11]),
        ]
        for (policy, kept, counts) in policies {
            let folder = try LibraryFolder()
            let library = try await RetentionTests(folder).filled(12)
            let plan = try await library.retention(policy, clockIsRight: true)
            #expect(plan.counts == counts && plan.bytes > 0)
            #expect(try await left(library).count == 12)
            let gone = try await library.applyRetention(policy, clockIsRight: true)
            #expect(gone == plan)
            #expect(try await left(library) == kept)
            #expect(try await library.verify(deep: true).findings.isEmpty)
            await library.close()
        }
    }

    private init(_ folder: LibraryFolder) { self.folder = folder }

    @Test("unsynced assets stay if sync is required; uncertain times never count as old")
    func guarded() async throws {
        let library = try await filled(12)
        let synced = RetentionPolicy(
            mostDays: 14, mostAssets: 5, leastFreeBytes: .max, requiresSync: true)
        let report = try await library.applyRetention(synced, clockIsRight: true)
        #expect(report.count == 0 && report.waitingForSync == 11)
        let old = RetentionPolicy(mostDays: 14, requiresSync: false)
        #expect(try await library.applyRetention(old, clockIsRight: false).count == 0)
        await library.close()
        _ = try await folder.sqlite(
            """
            UPDATE asset SET time_confidence = 'unknown' WHERE sequence = 1;
            UPDATE asset SET time_confidence = 'estimated' WHERE sequence = 2;
            """)
        let again = try await folder.open()
        #expect(try await again.applyRetention(old, clockIsRight: true).count == 3)
        #expect(try await left(again) == [1, 2, 4, 7, 8, 9, 10, 11, 12])
        await again.close()
    }

    @Test("the oldest assets are removed until enough space is free, in several batches")
    func space() async throws {
        let count = 450
        await (try await filled(count)).close()
        let originals = folder.root + "/originals"
        let each = try await folder.sqlite("SELECT DISTINCT bytes FROM asset")
        let bytes = try #require(each.count == 1 ? Int64(each[0]) : nil)
        // A disk that frees the space of removed files at once.
        let library = try await AssetLibrary.open(at: folder.root, reserveMegabytes: 0) {
            _ throws(SystemCallError) in
            let files = FileManager.default.enumerator(atPath: originals)?.allObjects ?? []
            let used = files.count { ($0 as? String)?.hasSuffix(".jpg") == true }
            return Int64(1000 - used) * bytes
        }
        let policy = RetentionPolicy(leastFreeBytes: 951 * bytes, requiresSync: false)
        let plan = try await library.retention(policy)
        let gone = try await library.applyRetention(policy)
        #expect(gone.counts == [.space: 401] && gone.count == plan.count)
        #expect(gone.items.count == 401 && gone.bytes == 401 * bytes)
        let kept = try await left(library)
        #expect(kept == [4] + Array(403...450))
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }

    /// Returns a library like ``filled(_:)`` on a disk that is always full, and the size of a
    /// photo.
    private func onFullDisk(_ count: Int) async throws -> (AssetLibrary, each: Int64) {
        await (try await filled(count)).close()
        let each = try await folder.sqlite("SELECT max(bytes) FROM asset")
        let library = try await AssetLibrary.open(at: folder.root, reserveMegabytes: 0) {
            _ throws(SystemCallError) in 0
        }
        return (library, try #require(Int64(each[0])))
    }

    @Test("space that the file system frees late removes no more; deleted assets go first")
    func late() async throws {
        let (library, each) = try await onFullDisk(450)
        let ids = try await library.assets(.everything, limit: 450).map(\.id)
        try await library.performChanges { $0.change(ids[440...], .delete) }
        let policy = RetentionPolicy(leastFreeBytes: 250 * each, requiresSync: false)
        let gone = try await library.applyRetention(policy, clockIsRight: false)
        #expect(gone.counts == [.space: 250])
        // Removed: the ten deleted assets, and the 240 oldest others except the favourite.
        #expect(try await left(library) == [4] + Array(242...440))
        await library.close()
    }

    @Test("retention queries read an index in order, without scanning or sorting")
    func indexed() async throws {
        let random = try await RandomLibrary(assets: 5000, seed: 14)
        for query in RetentionQuery.allCases {
            let plan = try await random.folder.sqlite("EXPLAIN QUERY PLAN SELECT \(query.source)")
            #expect(plan[1].contains(" asset USING INDEX asset_"), "\(plan)")
            // The only other step looks up the row of the RAW.
            #expect(
                plan.count == 4 && plan[3].contains("SEARCH raw USING INTEGER PRIMARY KEY"),
                "\(plan)")
        }
    }

    /// Opens a library on a disk that is always full, and runs SQL once the assets to remove are
    /// known.
    private func onFullDisk(changing change: String) async throws -> AssetLibrary {
        let asked = Mutex(0)
        let database = folder.root + "/library.sqlite"
        return try await AssetLibrary.open(at: folder.root, reserveMegabytes: 0) {
            _ throws(SystemCallError) in
            let number = asked.withLock { number in
                number += 1
                return number
            }
            // The first call comes before the assets are searched.
            if number == 2 {
                let done = try? ChildProcess("/usr/bin/env", ["sqlite3", database, change]).wait()
                #expect(done == 0)
            }
            return 0
        }
    }

    @Test("an asset made a favourite during retention stays, and no other goes instead")
    func meanwhile() async throws {
        await (try await filled(12)).close()
        let library = try await onFullDisk(
            changing: "UPDATE asset SET favorite = 1 WHERE sequence = 2")
        let policy = RetentionPolicy(mostAssets: 5, requiresSync: false)
        #expect(try await library.applyRetention(policy).counts == [.count: 5])
        #expect(try await left(library) == [2, 4, 8, 9, 10, 11, 12])
        await library.close()
    }

    @Test("an asset restored during retention is not removed for another reason")
    func restoredMeanwhile() async throws {
        let filled = try await filled(12)
        let ids = try await filled.assets(.everything, limit: 12).map(\.id)
        try await filled.performChanges { $0.change([ids[10], ids[11]], .delete) }
        await filled.close()
        let library = try await onFullDisk(
            changing: "UPDATE asset SET deleted_at = NULL, purge_at = NULL WHERE sequence = 12")
        let policy = RetentionPolicy(leastFreeBytes: .max, requiresSync: false)
        let gone = try await library.applyRetention(policy, clockIsRight: false)
        #expect(gone.counts == [.space: 10])
        #expect(try await left(library) == [4, 12])
        await library.close()
    }

    @Test("a new purge date is reported once")
    func dated() async throws {
        let library = try await filled(6)
        let ids = try await library.assets(.everything, limit: 10).map(\.id)
        try await library.performChanges { $0.change(ids[2..<5], .delete) }
        let soonest = FetchOptions(
            sortDescriptors: [AssetSortDescriptor(.purgesAt, ascending: false)],
            includesDeleted: true)
        let result = try await library.fetchAssets(soonest)
        #expect(try await sequences(result) == [6, 5, 4, 3, 2, 1])
        let token = try await library.currentChangeToken()
        let policy = RetentionPolicy(deletedDays: 30)
        _ = try await library.applyRetention(policy, clockIsRight: true)
        let history = try await library.changes(since: token, from: [.retention])
        #expect(history.updated == [3, 4, 5])
        let changes = try #require(try await result.changes())
        #expect(try await sequences(changes.result) == [5, 4, 3, 6, 2, 1])
        #expect(!changes.moved.isEmpty)
        _ = try await library.applyRetention(policy, clockIsRight: true)
        #expect(try await library.changes(since: history.token).isEmpty)
        await library.close()
    }

    @Test("recovered assets stay, because they may have been favourites")
    func recovered() async throws {
        var library = try await filled(6)
        await library.close()
        _ = try await folder.sqlite("UPDATE asset SET recovered = 1 WHERE sequence IN (2, 3)")
        library = try await folder.open()
        let policy = RetentionPolicy(
            mostDays: 1, mostAssets: 0, leastFreeBytes: .max, requiresSync: false)
        _ = try await library.applyRetention(policy, clockIsRight: true)
        #expect(try await left(library) == [2, 3, 4])
        await library.close()
    }
}
