// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import TestSupport
import Testing

/// Fetches of times in the order of the sequence: of few assets, which are sorted, and of many,
/// which are read within the bounds of their days.
@Suite("days")
struct DayTests {
    private let folder: LibraryFolder
    private static let day: Int64 = 86_400_000_000_000
    private static let first: Int64 = 1_600_000_000_000_000_000 / day * day

    init() throws { folder = try LibraryFolder() }

    /// Inserts 9000 assets of 30 days, ordered by time except for an import of old ones in the
    /// middle.
    private func fill() async throws {
        await (try await folder.open()).close()
        _ = try await folder.sqlite(
            """
            INSERT INTO asset (sequence, id, media_type, path, file_name, bytes, sha256, created_at,
                utc_offset_s, time_confidence, width, height, orientation, added_at, hidden)
            WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 9000)
            SELECT i, printf('%08x-0000-4000-8000-000000000000', i), 'photo', i || '.jpg', i || '.jpg',
                1, zeroblob(32), \(Self.first) + \(Self.day) / 300 * iif(i BETWEEN 4000 AND 6000,
                    i * 7919 % 4000, i), 0, 'synchronized', 1, 1, 1,
                \(Self.first) + \(Self.day) / 300 * i, i % 9 = 0
            FROM number;
            """)
    }

    private func wanted(
        _ options: FetchOptions, _ assets: [Asset]
    ) -> [Int64] {
        let found = assets.filter(options.matches).map(\.sequence).sorted()
        return options.sortDescriptors.first?.ascending == false ? found.reversed() : found
    }

    /// Checks a fetch by its pages, its result and its count.
    private func check(_ options: FetchOptions, _ library: AssetLibrary, _ all: [Asset])
        async throws
    {
        let wanted = wanted(options, all)
        var found: [Int64] = []
        var cursor: FetchCursor?
        repeat {
            let page = try await library.page(options, after: cursor, limit: 500)
            found += page.assets.map(\.asset.sequence)
            cursor = page.assets.count == 500 ? page.next : nil
        } while cursor != nil
        #expect(found == wanted)
        #expect(try await sequences(try await library.fetchAssets(options)) == wanted)
        #expect(try await library.countOfAssets(options) == wanted.count)
    }

    private func time(_ days: Double) -> WallTime {
        WallTime(nanoseconds: Self.first + Int64(days * Double(Self.day)), utcOffsetSeconds: 0)
    }

    private func checkDays(_ library: AssetLibrary, count: Int) async throws {
        let all = try await library.assets(.everything, limit: 10_000)
        #expect(all.count == count)
        let ranges = [
            (0.5, 1.2), (2.0, 13.5), (0.0, 29.0), (5.5, 60.0), (-9.0, 0.001), (70.0, 80.0),
        ]
        for (start, end) in ranges {
            let created: AssetFilter =
                AssetFilter.createdAt >= time(start) && AssetFilter.createdAt < time(end)
            let added: AssetFilter =
                AssetFilter.addedAt > time(start) && AssetFilter.addedAt <= time(end)
            for filter in [created, added, created && added, created && .keyword("none")] {
                for order in [[], [AssetSortDescriptor(.sequence, ascending: false)]] {
                    let options = FetchOptions(filter: filter, sortDescriptors: order)
                    try await check(options, library, all)
                }
            }
        }
    }

    @Test("assets of a time range are found in order, even old ones that were added late")
    func found() async throws {
        try await fill()
        let library = try await folder.open()
        try await checkDays(library, count: 9000)
        await library.close()
    }

    @Test("time ranges are right after times were corrected and assets were purged")
    func changed() async throws {
        try await fill()
        var library = try await folder.open()
        let gone = try await library.assets(.everything, limit: 10_000)
            .filter { $0.sequence % 500 == 77 }.map(\.id)
        try await library.performChanges { $0.change(gone, .delete) }
        try await library.performChanges { $0.change(gone, .purge) }
        await library.close()
        _ = try await folder.sqlite(
            """
            UPDATE asset SET created_at = created_at + 31 * \(Self.day)
            WHERE sequence % 1000 < 40
            """)
        library = try await folder.open()
        try await checkDays(library, count: 9000 - 18)
        #expect(try await library.verify(deep: false).findings.allSatisfy { $0.kind != .count })
        await library.close()
    }

    @Test("wrong day bounds are found and repaired", arguments: ["count = 7", "last_sequence = 9"])
    func mended(wrong: String) async throws {
        try await fill()
        _ = try await folder.sqlite("UPDATE asset_day SET \(wrong) WHERE property = 'addedAt'")
        let library = try await folder.open()
        let findings = try await library.verify(deep: false).findings.filter { $0.kind == .count }
        #expect(findings.map(\.message).contains { $0.contains("days") })
        #expect(try await library.repair(findings).allSatisfy { $0.result == .repaired })
        #expect(try await library.verify(deep: false).findings.allSatisfy { $0.kind != .count })
        try await checkDays(library, count: 9000)
        await library.close()
    }
}
