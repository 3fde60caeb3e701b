// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import TestSupport
import Testing

@Suite("smart albums, moments and sessions")
struct CollectionTests {
    @Test(
        "a smart album contains the matching assets, and its kept count is right",
        arguments: SmartAlbum.allCases)
    func smartAlbums(_ album: SmartAlbum) async throws {
        let random = try await RandomLibrary(assets: 200, seed: 31)
        // A remote has every third asset. Every seventh was added a moment ago.
        _ = try await random.folder.sqlite(
            """
            INSERT INTO outbox (asset, queued_at)
                SELECT sequence, 0 FROM asset WHERE sequence % 3 > 0;
            UPDATE asset SET added_at = \(Int64(Date().timeIntervalSince1970) * 1_000_000_000)
                WHERE sequence % 7 = 0;
            """)
        let library = try await random.folder.open()
        let all = try await library.assets(.everything, limit: 1000)
        let inView = all.filter { FetchOptions().matches($0) }
        let expected: [Asset] =
            switch album {
            case .recents: inView.reversed()
            case .favorites: inView.filter(\.isFavorite)
            case .videos: inView.filter { $0.mediaType == .video }
            case .photos: inView.filter { $0.mediaType == .photo }
            case .bursts: inView.filter(\.representsBurst)
            case .timelapses: inView.filter { $0.mediaSubtypes.contains(.timelapse) }
            case .hidden: all.filter { $0.isHidden && $0.deletedAt == nil }
            case .recentlyAdded:
                inView.filter { $0.addedAt.nanoseconds > 1_790_000_000_000_000_000 }.reversed()
            case .recentlyDeleted:
                all.filter { $0.deletedAt != nil }.sorted {
                    ($0.deletedAt?.nanoseconds ?? 0, $0.sequence)
                        > ($1.deletedAt?.nanoseconds ?? 0, $1.sequence)
                }
            case .notYetSynced: inView.filter { $0.sequence % 3 > 0 }
            }
        let id = AssetCollection.Identifier.smartAlbum(album)
        let found = try await sequences(library.fetchAssets(in: id))
        #expect(found == expected.map(\.sequence) && !found.isEmpty)
        let shown = try #require(
            try await library.collections(CollectionFetchOptions(.smartAlbums)).first {
                $0.id == id
            })
        // The kept count of `notYetSynced` includes assets out of view.
        let estimated =
            album == .notYetSynced ? all.count { $0.sequence % 3 > 0 } : expected.count
        #expect(shown.estimatedCount == estimated)
        #expect(try await library.countOfAssets(in: id) == expected.count)
        await library.close()
    }

    /// Creates a library with rows at random times of a week, some in another time zone or hidden.
    private func week(seed: UInt64) async throws -> LibraryFolder {
        let folder = try LibraryFolder()
        try await folder.open().close()
        var generator = Seeded(seed)
        var script = "BEGIN;\n"
        var time: Int64 = 1_795_000_000
        for sequence in 1...400 {
            time += [0, 1, 60, 1800, 7200, 7201, 20000].randomElement(using: &generator) ?? 0
            let offset = [3600, 3600, 3600, -18000].randomElement(using: &generator) ?? 0
            let isHidden = Int.random(in: 0..<10, using: &generator) == 0
            script += """
                INSERT INTO asset (sequence, id, media_type, path, file_name, bytes, sha256,
                    created_at, utc_offset_s, time_confidence, width, height, orientation, hidden,
                    session_id)
                VALUES (\(sequence), '\(UUID().uuidString.lowercased())', 'photo', 'p', 'f', 1,
                    zeroblob(32), \(time)000000000, \(offset), 'unknown', 1, 1, 1,
                    \(isHidden ? 1 : 0), 'visit \(sequence * 7 % 400 / 40)');\n
                """
        }
        try (script + "COMMIT;").write(
            toFile: folder.path + "/rows.sql", atomically: true, encoding: .utf8)
        _ = try await folder.sqlite(".read \(folder.path)/rows.sql")
        return folder
    }

    /// Groups assets by the definition of a moment.
    private func moments(of assets: [Asset]) -> [[Asset]] {
        var moments: [[Asset]] = []
        for asset in assets.sorted(by: {
            ($0.createdAt.nanoseconds, $0.sequence) < ($1.createdAt.nanoseconds, $1.sequence)
        }) {
            guard let last = moments.last?.last else {
                moments.append([asset])
                continue
            }
            let distance = asset.createdAt.nanoseconds - last.createdAt.nanoseconds
            let isOtherDay = "\(asset.createdAt)".prefix(10) != "\(last.createdAt)".prefix(10)
            if distance > 7200 * 1_000_000_000 || distance > 0 && isOtherDay {
                moments.append([asset])
            } else {
                moments[moments.count - 1].append(asset)
            }
        }
        return moments
    }

    @Test("moments are days, split where two hours pass without a photo")
    func moments() async throws {
        let folder = try await week(seed: 3)
        let library = try await folder.open()
        let expected = moments(of: try await library.assets(limit: 1000))
        let found = try await library.collections(CollectionFetchOptions(.moments))
        #expect(found.map(\.id) == expected.map { .moment(first: $0[0].sequence) })
        #expect(found.map(\.estimatedCount) == expected.map(\.count) && found.count > 20)
        #expect(found.map(\.endDate) == expected.map { $0.last?.createdAt })
        let newest = try await library.collections(
            CollectionFetchOptions(.moments, newestFirst: true, fetchLimit: 5))
        #expect(newest == found.suffix(5).reversed())
        for (moment, assets) in zip(found, expected) {
            let inside = try await sequences(library.fetchAssets(in: moment.id))
            #expect(inside == assets.map(\.sequence))
        }
        // Only the first asset of a moment identifies it.
        let error = await #expect(throws: LibraryError.self) {
            try await library.fetchAssets(in: .moment(first: expected[0][1].sequence))
        }
        #expect(error?.code == .notFound)
        // If its first photo is hidden, a moment begins with the next.
        let long = try #require(expected.first { $0.count > 2 })
        try await library.performChanges { $0.change(long[0], .setHidden(true)) }
        let after = try await library.collections(CollectionFetchOptions(.moments))
        #expect(after.contains { $0.id == .moment(first: long[1].sequence) })
        await library.close()
    }

    @Test("kept moments and sessions equal a recount after thousands of random changes")
    func recount() async throws {
        let folder = try await week(seed: 5)
        var generator = Seeded(6)
        for round in 1...byTier(usual: 10, day: 100, full: 100) {
            var script = "BEGIN;\n"
            for _ in 0..<1000 { script += randomChange(using: &generator) }
            try (script + "COMMIT;").write(
                toFile: folder.path + "/rows.sql", atomically: true, encoding: .utf8)
            _ = try await folder.sqlite(".read \(folder.path)/rows.sql")
            let library = try await folder.open()
            let all = try await library.assets(limit: 10_000)
            let found = try await library.collections(CollectionFetchOptions(.moments))
            let expected = moments(of: all)
            #expect(
                found.map(\.id) == expected.map { .moment(first: $0[0].sequence) }, "round \(round)"
            )
            #expect(found.map(\.estimatedCount) == expected.map(\.count))
            #expect(found.map(\.startDate) == expected.map { $0.first?.createdAt })
            #expect(found.map(\.endDate) == expected.map { $0.last?.createdAt })
            let sessions = Dictionary(grouping: all) { $0.sessionID ?? "" }
            for session in try await library.collections(CollectionFetchOptions(.sessions)) {
                let inside = sessions[session.title] ?? []
                #expect(session.estimatedCount == inside.count)
                #expect(
                    session.startDate?.nanoseconds == inside.map(\.createdAt.nanoseconds).min())
                #expect(session.endDate?.nanoseconds == inside.map(\.createdAt.nanoseconds).max())
            }
            let kept = try await library.verify(deep: false).findings.filter { $0.kind == .count }
            #expect(kept == [])
            await library.close()
        }
    }

    /// Returns SQL that changes an asset's time or view, adds or deletes one, or rarely shifts all
    /// times.
    private func randomChange(using generator: inout Seeded) -> String {
        let day: Int64 = 86_400_000_000_000
        let step: Int64 = [1, 60, 3600].randomElement(using: &generator) ?? 1
        let days: Int64 = .random(in: 0...3, using: &generator)
        let steps: Int64 = .random(in: 0...23, using: &generator)
        let time = 1_795_000_000_000_000_000 + days * day + steps * step * 1_000_000_000
        let offset = [0, 3600, -18000].randomElement(using: &generator) ?? 0
        let one = "sequence = (SELECT sequence FROM asset ORDER BY random() LIMIT 1)"
        switch Int.random(in: 0..<1000, using: &generator) {
        case 0: return "UPDATE asset SET created_at = created_at + \(time % day) - \(day / 2);\n"
        case ..<400:
            return "UPDATE asset SET created_at = \(time), utc_offset_s = \(offset) WHERE \(one);\n"
        case ..<600: return "UPDATE asset SET hidden = 1 - hidden WHERE \(one);\n"
        case ..<700:
            return "UPDATE asset SET deleted_at = iif(deleted_at IS NULL, 1, NULL) WHERE \(one);\n"
        case ..<850: return "DELETE FROM asset WHERE \(one);\n"
        default:
            let session = Int.random(in: 0..<20, using: &generator)
            return """
                INSERT INTO asset (id, media_type, path, file_name, bytes, sha256, created_at, utc_offset_s,
                    time_confidence, width, height, orientation, session_id)
                VALUES ('\(UUID().uuidString.lowercased())', 'photo', 'p', 'f', 1, zeroblob(32), \(time),
                    \(offset), 'unknown', 1, 1, 1, 'visit \(session)');\n
                """
        }
    }

    @Test(
        "a fetch of collections finds each once, in either order, and follows changes",
        arguments: [false, true])
    func pages(newestFirst: Bool) async throws {
        let folder = try await week(seed: 7)
        let library = try await folder.open()
        for kind in [CollectionFetchOptions.Kind.moments, .sessions] {
            let options = CollectionFetchOptions(kind, newestFirst: newestFirst)
            let all = try await library.collections(options)
            let result = try await library.fetchCollections(options)
            #expect(!result.isEmpty)
            var shown: [AssetCollection] = []
            for try await collection in result { shown.append(collection) }
            #expect(shown == all)
            #expect(try await result.count == all.count)
            #expect(try await result.changes() == nil)
            let some = try await library.fetchCollections(
                CollectionFetchOptions(kind, newestFirst: newestFirst, fetchLimit: all.count - 1))
            #expect(try await some.lastObject() == all[all.count - 2])
        }
        let result = try await library.fetchCollections(CollectionFetchOptions(.moments))
        let first = try #require(try await result.firstObject())
        guard case .moment(let sequence) = first.id else { return }
        let asset = try await library.asset(id: "\(sequence)")
        try await library.performChanges { $0.change(asset, .setHidden(true)) }
        let changes = try #require(try await result.changes())
        #expect(changes.removed.contains(0) || changes.changed.contains(0))
        await library.close()
    }

    @Test("sessions are ordered by their first photos and contain the photos in view")
    func sessions() async throws {
        let folder = try await week(seed: 4)
        let library = try await folder.open()
        let all = try await library.assets(.everything, limit: 1000)
        var order: [String] = []
        for asset in all {
            if let session = asset.sessionID, !order.contains(session) { order.append(session) }
        }
        func check() async throws {
            let now = try await library.assets(limit: 1000)
            let found = try await library.collections(CollectionFetchOptions(.sessions))
            #expect(found.map(\.title) == order)
            for session in found {
                let inside = now.filter { $0.sessionID == session.title }
                #expect(session.estimatedCount == inside.count)
                let fetched = try await sequences(library.fetchAssets(in: session.id))
                #expect(fetched == inside.map(\.sequence))
                #expect(
                    session.startDate?.nanoseconds == inside.map(\.createdAt.nanoseconds).min())
                #expect(session.endDate?.nanoseconds == inside.map(\.createdAt.nanoseconds).max())
            }
        }
        try await check()
        let some = all.filter { $0.sequence % 3 == 0 }.map(\.id)
        try await library.performChanges { $0.change(some, .delete) }
        try await check()
        try await library.performChanges {
            $0.change(some.prefix(40), .restore)
            $0.change(some.suffix(40), .purge)
        }
        try await check()
        let left = try await library.assets(.everything, limit: 1000)
        let empty = left.filter { $0.sessionID == order[2] }.map(\.id)
        try await library.performChanges { $0.change(empty, .setHidden(true)) }
        let filled = try await library.collections(
            CollectionFetchOptions(.sessions, includesEmpty: false, newestFirst: true))
        #expect(filled.map(\.title) == order.filter { $0 != order[2] }.reversed())
        await library.close()
    }

    @Test("a waiting caller receives every change, at most four times a second")
    func waiting() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let asset = try await library.add(photo())
        let start = try await library.changes(since: nil, from: nil, waits: false)
        #expect(start.isEmpty)
        let writer = Task {
            for round in 0..<100 {
                try await library.performChanges { $0.change(asset, .setFavorite(round % 2 == 0)) }
                try await library.performChanges(from: .sync) { changes in
                    _ = changes.createAlbum("\(round)")
                }
            }
        }
        var token = start.token
        var albums = Set<AssetCollection.Identifier>()
        var answers = 0
        let begin = ContinuousClock.now
        while albums.count < 100 {
            let news = try await library.changes(since: token, from: [.sync], waits: true)
            #expect(news.updated.isEmpty)
            albums.formUnion(news.insertedCollections)
            token = news.token
            answers += 1
        }
        let seconds = Double((ContinuousClock.now - begin).components.seconds) + 1
        #expect(Double(answers) <= 4 * seconds + 1)
        try await writer.value
        // A cancelled caller stops waiting.
        let waiting = Task { try await library.changes(since: token, from: [.sync], waits: true) }
        try await Task.sleep(for: .milliseconds(50))
        waiting.cancel()
        await #expect(throws: (any Error).self) { try await waiting.value }
        await library.close()
    }
}
