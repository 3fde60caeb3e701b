// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Synchronization
import Testing

@Suite("long operation")
struct LongLifeTests {
    /// Returns the size of the WAL.
    private func logBytes(_ folder: LibraryFolder) -> Int {
        let path = folder.root + "/library.sqlite-wal"
        return (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int ?? 0
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
    }

    /// Reads the whole library again and again, following its changes. Returns the number of photos
    /// read, in hundreds.
    private func scroll(_ library: AssetLibrary, until isOver: Flag) async throws -> Int {
        var read = 0
        var result = try await library.fetchAssets()
        while !isOver.isSet {
            for try await _ in result {
                read += 1
                if isOver.isSet { break }
            }
            if let changes = try await result.changes() { result = changes.result }
        }
        return read / 100
    }

    @Test("the WAL stays small for a week of photos, unless a reader never ends")
    func writeAheadLog() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let limit = 16 << 20
        let day = Int64(86_400) * 1_000_000_000
        let start: Int64 = 1_795_347_005_000_000_000
        let isOver = Flag()
        async let pages = scroll(library, until: isOver)
        var longest = 0
        for number in 0..<Int64(7 * 150) {
            let time = start + number / 150 * day + number % 150 * 60_000_000_000
            let asset = try await library.add(
                photo(
                    jpeg(bytes: 500), number: number,
                    at: WallTime(nanoseconds: time, utcOffsetSeconds: 0)))
            if number % 5 == 0 {
                try await library.performChanges { $0.change(asset, .setFavorite(true)) }
            }
            if number % 150 == 149 { _ = try await library.takeSnapshot() }
            longest = max(longest, logBytes(folder))
        }
        isOver.value.store(true, ordering: .releasing)
        #expect(try await pages > 20)
        #expect(longest > 1 << 20 && longest <= limit, "\(longest) bytes")

        // Control: another process keeps a transaction open.
        let reader = try RunningCommand([
            "sqlite3", "-readonly", folder.root + "/library.sqlite",
            "BEGIN; SELECT id FROM asset LIMIT 1", ".shell echo ready",
            // The child process ends together with sqlite3.
            ".shell exec setpriv --pdeathsig KILL sleep 86400",
        ])
        try await reader.wait(for: 1, "ready")
        var added = 0
        while logBytes(folder) <= limit, added < 3000 {
            try await library.add(photo(jpeg(bytes: 500)))
            added += 1
        }
        #expect(logBytes(folder) > limit)
        #expect(reader.kill())
        _ = await reader.finish()
        for _ in 0..<2 { try await library.add(photo(jpeg(bytes: 500))) }
        #expect(logBytes(folder) <= limit, "and once it has ended, the WAL is as small as before")
        await library.close()
    }
}
