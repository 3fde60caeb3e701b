// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Media
import TestSupport
import Testing

@Suite("fetching")
struct FetchTests {
    private func everything(_ library: AssetLibrary) async throws -> [Asset] {
        try await library.assets(.everything, limit: 10_000)
    }

    private func all(_ result: FetchResult<Asset>) async throws -> [Int64] {
        var sequences: [Int64] = []
        for try await asset in result { sequences.append(asset.sequence) }
        return sequences
    }

    @Test("random queries return what a scan of all assets finds")
    func randomQuestions() async throws {
        var random = try await RandomLibrary(assets: 400, seed: 4)
        let library = try await random.folder.open()
        let assets = try await everything(library)
        #expect(assets.count == 400)
        var sizes: [Int: Int] = [:]
        for _ in 0..<600 {
            let options = random.options(like: assets)
            let expected = options.applied(to: assets).map(\.sequence)
            let result = try await library.fetchAssets(options)
            #expect(try await all(result) == expected, "\(options)")
            #expect(try await result.count == expected.count)
            #expect(try await library.countOfAssets(options) == expected.count)
            sizes[expected.isEmpty ? 0 : expected.count < 64 ? 1 : 2, default: 0] += 1
        }
        // Proof of variety: no results, some, and more than a page.
        #expect(sizes.count == 3 && sizes.values.allSatisfy { $0 > 40 }, "\(sizes)")
        await library.close()
    }

    @Test("random queries survive JSON and return the same results")
    func questionsAsJSON() async throws {
        var random = try await RandomLibrary(assets: 100, seed: 5)
        let library = try await random.folder.open()
        let assets = try await everything(library)
        for _ in 0..<300 {
            let options = random.options(like: assets)
            let again = try JSONDecoder().decode(
                FetchOptions.self, from: JSONEncoder().encode(options))
            #expect(again.applied(to: assets) == options.applied(to: assets))
            let result = try await library.fetchAssets(again)
            #expect(try await all(result) == options.applied(to: assets).map(\.sequence))
        }
        await library.close()
    }

    @Test("pages after cursors, sent as JSON, make up the whole result in any order")
    func cursors() async throws {
        var random = try await RandomLibrary(assets: 200, seed: 13)
        let library = try await random.folder.open()
        let assets = try await everything(library)
        var pages = 0
        var turning = 0
        for _ in 0..<150 {
            var options = random.options(like: assets)
            options.fetchLimit = nil
            let order = options.sortDescriptors
            if order.count == 2, order[1].key == .sequence, order[0].ascending != order[1].ascending
            {
                turning += 1
            }
            var sequences: [Int64] = []
            var cursor: FetchCursor?
            while true {
                let page = try await library.assets(options, after: cursor, limit: 7)
                guard let last = page.last, sequences.count <= assets.count else { break }
                pages += 1
                sequences += page.map(\.sequence)
                cursor = try JSONDecoder().decode(
                    FetchCursor.self, from: JSONEncoder().encode(FetchCursor(last, in: options)))
            }
            #expect(sequences == options.applied(to: assets).map(\.sequence), "\(options)")
        }
        // In some orders the sequence has the opposite direction.
        #expect(pages > 300 && turning > 10)
        await library.close()
    }

    @Test("plain SQL in sqlite3 finds the same assets")
    func plainSQL() async throws {
        let random = try await RandomLibrary(assets: 300, seed: 6)
        let library = try await random.folder.open()
        let visible = "hidden = 0 AND deleted_at IS NULL AND (burst_id IS NULL OR represents_burst)"
        let questions: [(FetchOptions, String)] = [
            (FetchOptions(), "\(visible) ORDER BY sequence"),
            (
                FetchOptions(filter: AssetFilter.mediaType == .video && AssetFilter.bytes > 4),
                "\(visible) AND media_type = 'video' AND bytes > 4 ORDER BY sequence"
            ),
            (
                FetchOptions(
                    filter: AssetFilter.sessionID != "s-1",
                    sortDescriptors: [AssetSortDescriptor(.createdAt, ascending: false)]),
                "\(visible) AND session_id IS NOT 's-1' ORDER BY created_at DESC, sequence DESC"
            ),
            (
                FetchOptions(filter: AssetFilter.caption == nil, includesHidden: true),
                "deleted_at IS NULL AND (burst_id IS NULL OR represents_burst) "
                    + "AND caption IS NULL ORDER BY sequence"
            ),
            (
                FetchOptions(
                    filter: AssetFilter.duration >= MediaTime(value: 2, timescale: 3),
                    includesAllBurstMembers: true),
                "hidden = 0 AND deleted_at IS NULL "
                    + "AND duration_value * 3 >= duration_timescale * 2 ORDER BY sequence"
            ),
            (
                FetchOptions(filter: .subtypes([.hdr, .burst]), includesDeleted: true),
                "hidden = 0 AND (burst_id IS NULL OR represents_burst) "
                    + "AND subtypes & 1 AND subtypes & 16 ORDER BY sequence"
            ),
        ]
        for (options, sql) in questions {
            let expected = try await random.folder.sqlite("SELECT sequence FROM asset WHERE \(sql)")
            #expect(!expected.isEmpty)
            let result = try await library.fetchAssets(options)
            #expect(try await all(result).map(String.init) == expected, "\(sql)")
        }
        await library.close()
    }

    @Test("captions and keywords are found regardless of case")
    func text() async throws {
        let random = try await RandomLibrary(assets: 300, seed: 7)
        let library = try await random.folder.open()
        for (part, words) in [
            ("GÄRT", ["gärtner", "GÄRTNER"]), ("%", ["50%"]), ("_", ["_x_"]), ("'", ["a'b"]),
        ] {
            let options = FetchOptions(filter: AssetFilter.caption.contains(part))
            let found = try await library.fetchAssets(options)
            var captions = Set<String>()
            for try await asset in found { captions.formUnion([asset.caption ?? ""]) }
            #expect(captions == Set(words))
        }
        let gardeners = try await library.fetchAssets(
            FetchOptions(filter: .keyword("Gärtner")))
        for try await asset in gardeners {
            #expect(!Set(asset.keywords).isDisjoint(with: ["gärtner", "GÄRTNER"]))
        }
        #expect(try await gardeners.count > 0)
        await library.close()
    }

    @Test("a result keeps its assets and order while photos are added, hidden and deleted")
    func stable() async throws {
        let random = try await RandomLibrary(assets: 500, seed: 8)
        let library = try await random.folder.open()
        let result = try await library.fetchAssets(
            FetchOptions(sortDescriptors: [AssetSortDescriptor(.createdAt, ascending: false)]))
        let before = try await all(result)
        _ = try await random.folder.sqlite(
            """
            UPDATE asset SET hidden = 1 WHERE sequence % 3 = 0;
            UPDATE asset SET created_at = created_at + 1000 WHERE sequence % 5 = 0;
            """)
        try await library.add(photo())
        #expect(try await all(result) == before)
        #expect(try await result.count == before.count)
        let gone = before[3]
        _ = try await random.folder.sqlite("DELETE FROM asset WHERE sequence = \(gone)")
        #expect(try await all(result) == before.filter { $0 != gone })
        #expect(try await result.object(at: 3) == nil)
        #expect(try await result.object(at: 4)?.sequence == before[4])
        let first = before[0]
        _ = try await random.folder.sqlite("DELETE FROM asset WHERE sequence = \(first)")
        #expect(try await result.object(at: 0) == nil)
        // A changed asset is read in its present state.
        let hidden = try #require(before.firstIndex { $0 % 3 == 0 && ![first, gone].contains($0) })
        #expect(try await result.object(at: hidden)?.isHidden == true)
        await library.close()
    }

    @Test("changes between the first page and the rest neither repeat nor drop an asset")
    func gap() async throws {
        let random = try await RandomLibrary(assets: 900, seed: 21)
        let library = try await random.folder.open()
        let options = FetchOptions(
            sortDescriptors: [AssetSortDescriptor(.createdAt, ascending: false)])
        let before = try await all(library.fetchAssets(options))
        for round in 0..<8 {
            let result = try await library.fetchAssets(options)
            let first = try await result.objects(at: 0..<50).map { $0?.sequence }
            // Moves every seventh asset to the front while the rest is read.
            try await library.performChanges { changes in
                _ = changes.createAlbum("\(round)")
            }
            _ = try await random.folder.sqlite(
                """
                UPDATE asset SET created_at = created_at + \(round + 1) * 1000000000000000
                    WHERE sequence % 7 = \(round % 7);
                """)
            let new = try await library.add(photo(number: Int64(round)))
            let found = try await all(result)
            #expect(Set(found).count == found.count && !found.contains(new.sequence))
            #expect(Set(before).isSubset(of: found))
            #expect(found.prefix(50).map(Optional.some) == first)
        }
        await library.close()
    }

    private func cancelThisTask() {
        unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
    }

    @Test("a cancelled enumeration ends after the page that it is reading")
    func cancelledEnumeration() async throws {
        let random = try await RandomLibrary(assets: 1500, seed: 22)
        let library = try await random.folder.open()
        let result = try await library.fetchAssets(.everything)
        #expect(try await result.count == 1500)
        let task = Task {
            var seen = 0
            await #expect {
                try await result.enumerate { _, _ in
                    seen += 1
                    if seen == 150 { cancelThisTask() }
                    return true
                }
            } throws: { ($0 as? LibraryError)?.code == .cancelled }
            return seen
        }
        #expect((150..<400).contains(await task.value))
        let loop = Task {
            var seen = 0
            await #expect {
                for try await _ in result {
                    seen += 1
                    if seen == 150 { cancelThisTask() }
                }
            } throws: { ($0 as? LibraryError)?.code == .cancelled }
            return seen
        }
        #expect((150..<400).contains(await loop.value))
        await library.close()
    }

    @Test("objects are enumerated by ranges, in reverse, and until the body returns false")
    func enumeration() async throws {
        let random = try await RandomLibrary(assets: 400, seed: 9)
        let library = try await random.folder.open()
        let result = try await library.fetchAssets()
        let sequences = try await all(result)
        let count = sequences.count
        #expect(count > 200)

        func places(
            at indexes: RangeSet<Int>? = nil, reversed: Bool = false, stopAfter: Int = .max
        ) async throws -> [Int] {
            var places: [Int] = []
            try await result.enumerate(at: indexes, reversed: reversed) { asset, place in
                #expect(asset.sequence == sequences[place])
                places.append(place)
                return places.count < stopAfter
            }
            return places
        }
        #expect(try await places() == Array(0..<count))
        #expect(try await places(reversed: true) == Array((0..<count).reversed()))
        var some = RangeSet<Int>(3..<5)
        some.insert(contentsOf: 100..<190)
        some.insert(contentsOf: count - 2..<count + 70)
        let wanted = [3, 4] + Array(100..<190) + [count - 2, count - 1]
        #expect(try await places(at: some) == wanted)
        #expect(try await places(at: some, reversed: true) == wanted.reversed())
        #expect(try await places(at: some, stopAfter: 5) == Array(wanted.prefix(5)))
        #expect(try await places(at: RangeSet()) == [])
        #expect(try await result.firstObject()?.sequence == sequences.first)
        #expect(try await result.lastObject()?.sequence == sequences.last)
        #expect(try await result.object(at: count) == nil)
        #expect(try await result.object(at: -1) == nil)
        #expect(try await result.object(at: .max) == nil)
        #expect(try await result.objects(at: 50..<50).isEmpty)
        #expect(try await result.objects(at: count - 1..<count + 9).count == 1)
        await library.close()
    }

    @Test("a result keeps its library open, and throws closed once the library is closed")
    func lifetime() async throws {
        let random = try await RandomLibrary(assets: 300, seed: 10)
        let result = try await {
            let library = try await random.folder.open()
            return try await library.fetchAssets()
        }()
        #expect(try await all(result).count > 100)

        let other = try await RandomLibrary(assets: 300, seed: 11)
        let library = try await other.folder.open()
        let late = try await library.fetchAssets()
        _ = try await late.count
        await library.close()
        let error = await #expect(throws: LibraryError.self) { try await late.object(at: 150) }
        #expect(error?.code == .closed)
    }

    @Test("a cancelled caller does not wait for the count; other callers receive it")
    func cancelled() async throws {
        let random = try await RandomLibrary(assets: 3000, seed: 15)
        let library = try await random.folder.open()
        let result = try await library.fetchAssets(.everything)
        let waiting = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await result.count
        }
        waiting.cancel()
        let error = await #expect(throws: LibraryError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(try await result.count == 3000)
        await library.close()
    }

    @Test("filters with wrong types, too many terms or too much nesting are refused")
    func refused() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let filters: [AssetFilter] = [
            .comparison(.bytes, .equal, .text("many")),
            .comparison(.caption, .less, .integer(3)),
            .comparison(.bytes, .contains, .integer(3)),
            .comparison(.latitude, .less, .number(.nan)),
            .not(.membership(.sessionID, [.text("a"), .number(1)])),
            .any((0..<501).map { .keyword("\($0)") }),
            .all(
                (0..<400).map { _ in .membership(.bytes, (Int64(0)..<400).map(AssetValue.integer)) }
            ),
            (0..<30).reduce(.keyword("wide")) { filter, _ in
                .any([filter] + (0..<400).map { AssetFilter.isFavorite == ($0 % 2 == 0) })
            },
            (0..<60).reduce(.keyword("deep")) { filter, _ in .not(filter) },
            AssetFilter.deviceName == "a\u{0}",
        ]
        for filter in filters {
            let error = await #expect(throws: LibraryError.self) {
                try await library.fetchAssets(FetchOptions(filter: filter))
            }
            #expect(error?.code == .invalidValue && error?.message.contains("filter:") == true)
        }
        await #expect(throws: LibraryError.self) {
            try await library.fetchAssets(FetchOptions(fetchLimit: -1))
        }
        let most: AssetFilter = .not(.any((0..<500).map { .keyword("\($0)") }))
        #expect(try await library.fetchAssets(FetchOptions(filter: most)).isEmpty)
        await library.close()
    }

    @Test("an empty result is known at once")
    func nothing() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let result = try await library.fetchAssets()
        #expect(result.isEmpty)
        #expect(try await result.count == 0)
        #expect(try await result.firstObject() == nil)
        #expect(try await result.lastObject() == nil)
        await library.close()
    }
}
