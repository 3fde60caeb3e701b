// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

@Suite("snapshots and salvage")
struct SnapshotTests {
    private let folder: LibraryFolder

    init() throws { folder = try LibraryFolder() }

    private var database: String { folder.root + "/library.sqlite" }

    /// Returns a library of photos, the first of them with a caption and in an album.
    private func filled(_ count: Int) async throws -> AssetLibrary {
        let library = try await folder.open()
        for number in 1...count { try await library.add(photo(number: Int64(number))) }
        let first = try await library.assets(.everything, limit: 1)[0]
        var changes = LibraryChanges()
        changes.change([first.id], .setCaption("Größe"))
        let album = changes.createAlbum("Fair")
        changes.change(album, .addAssets([first.id], at: nil))
        _ = try await library.perform(changes)
        return library
    }

    private func captions(_ library: AssetLibrary) async throws -> [String?] {
        try await library.assets(.everything, limit: 100).map(\.caption)
    }

    /// Overwrites the root page of a table or an index.
    private func damage(_ name: String) async throws {
        _ = try await folder.sqlite("PRAGMA wal_checkpoint(truncate)")
        let page = try await folder.sqlite(
            "SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: database))
        try handle.seek(toOffset: (UInt64(page[0]) ?? 0) * 4096 - 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try handle.close()
    }

    private func quarantined() throws -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.root + "/quarantine")) ?? []
    }

    @Test("three snapshots are kept, each a whole database; none is taken without changes")
    func kept() async throws {
        let library = try await filled(2)
        #expect(try await library.snapshots() == [])
        for number in 1...5 {
            let taken = try #require(try await library.takeSnapshot())
            #expect(taken.number == number && taken.bytes > 0)
            #expect(try await library.takeSnapshot() == nil)
            try await library.add(photo(number: Int64(10 + number)))
        }
        let snapshots = try await library.snapshots()
        #expect(snapshots.map(\.number) == [5, 4, 3])
        for snapshot in snapshots {
            let assets = try await folder.sqlite(
                "PRAGMA integrity_check; SELECT count(*) FROM asset", in: snapshot.path)
            #expect(assets == ["ok", "\(snapshot.number + 1)"])
        }
        await library.close()
    }

    @Test("photos can be added while a snapshot is taken")
    func meanwhile() async throws {
        let random = try await RandomLibrary(assets: 20_000, seed: 7)
        let library = try await random.folder.open()
        try await library.add(photo(number: 1))
        async let snapshot = library.takeSnapshot()
        var stored = 0
        for number in 0..<20 {
            try await library.add(photo(number: 30_000 + Int64(number)))
            stored += 1
        }
        let taken = try #require(try await snapshot)
        let inCopy = try await random.folder.sqlite(
            "SELECT count(*) FROM asset", in: taken.path)
        #expect((20_001...20_021).contains(Int(inCopy[0]) ?? 0) && stored == 20)
        await library.close()
    }

    @Test("a full disk refuses a snapshot and keeps the earlier ones")
    func full() async throws {
        let library = try await filled(2)
        _ = try await library.takeSnapshot()
        await library.close()
        let tight = try await AssetLibrary.open(at: folder.root, reserveMegabytes: 1) {
            _ in (1 << 20) + 4096
        }
        let asset = try await tight.assets(.everything, limit: 1)[0]
        try await tight.performChanges { $0.change([asset.id], .setFavorite(true)) }
        await #expect { try await tight.takeSnapshot() } throws: {
            ($0 as? LibraryError)?.code == .full
        }
        #expect(try await tight.snapshots().count == 1)
        await tight.close()
    }

    @Test("many snapshots use no more descriptors than one")
    func descriptors() async throws {
        let library = try await filled(1)
        func open() throws -> Int {
            let manager = FileManager.default
            return try manager.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                let target = try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                return target?.hasPrefix(folder.root) == true
            }.count
        }
        let before = try open()
        _ = try #require(try await library.takeSnapshot())
        let first = try open()
        #expect((before...before + 2).contains(first))
        for _ in 0..<10 {
            try await library.add(photo())
            _ = try #require(try await library.takeSnapshot())
        }
        #expect(try open() == first)
        await library.close()
        #expect(try open() == 0)
    }

    @Test("damaged indexes are rebuilt without any loss")
    func indexes() async throws {
        try await filled(40).close()
        try await damage("asset_content")
        let report = try #require(try await AssetLibrary.salvage(at: folder.root))
        #expect(report.source == .indexes && !report.damage.isEmpty)
        #expect(try quarantined() == ["library.sqlite"])
        let library = try await folder.open()
        #expect(try await library.recovered().adopted == [])
        #expect(try await captions(library).count == 40)
        #expect(try await captions(library)[0] == "Größe")
        #expect(try await library.verify(deep: true).findings == [])
        await library.close()
        #expect(try await AssetLibrary.salvage(at: folder.root) == nil)
    }

    @Test("a snapshot replaces a database with lost rows, and later photos are adopted")
    func snapshot() async throws {
        var library = try await filled(5)
        let token = try await library.currentChangeToken()
        let snapshot = try #require(try await library.takeSnapshot())
        for number in 11...13 { try await library.add(photo(number: Int64(number))) }
        let later = try await library.currentChangeToken()
        await library.close()
        try await damage("asset")
        await #expect { try await folder.open() } throws: {
            ($0 as? LibraryError)?.code == .damaged
        }
        let report = try #require(try await AssetLibrary.salvage(at: folder.root))
        #expect(report.source == .snapshot && report.snapshot == snapshot)
        library = try await folder.open()
        #expect(try await library.recovered().adopted.count == 3)
        #expect(try await captions(library) == ["Größe"] + Array(repeating: nil, count: 7))
        #expect(
            try await library.collections(CollectionFetchOptions(.albums)).map(\.estimatedCount)
                == [1])
        #expect(try await library.verify(deep: true).findings == [])
        // Assets of the snapshot keep their numbers. Numbers given since are not used again.
        let numbers = try await library.assets(.everything, limit: 10).map(\.sequence)
        #expect(numbers.prefix(5) == [1, 2, 3, 4, 5] && numbers.count == 8)
        #expect(numbers.dropFirst(5).allSatisfy { $0 > 1_000_000 })
        #expect(try await library.add(photo(number: 99)).sequence == (numbers.last ?? 0) + 1)
        // A client of the lost history has to read everything again.
        for known in [token, later] {
            await #expect { try await library.changes(since: known) } throws: {
                ($0 as? LibraryError)?.code == .expired
            }
        }
        await library.close()
    }

    @Test("a damaged snapshot is skipped; without any, the originals are adopted")
    func worst() async throws {
        var library = try await filled(3)
        let token = try await library.currentChangeToken()
        let snapshot = try #require(try await library.takeSnapshot())
        await library.close()
        for path in [snapshot.path, database] {
            try Data(repeating: 0x5A, count: 8192).write(to: URL(fileURLWithPath: path))
        }
        let report = try #require(try await AssetLibrary.salvage(at: folder.root))
        #expect(report.source == .originals && report.snapshot == nil)
        library = try await folder.open()
        #expect(try await library.recovered().adopted.count == 3)
        #expect(try await captions(library) == [nil, nil, nil])
        let numbers = try await library.assets(.everything, limit: 10).map(\.sequence)
        #expect(numbers.allSatisfy { $0 > 1_000_000 })
        await #expect { try await library.changes(since: token) } throws: {
            ($0 as? LibraryError)?.code == .expired
        }
        await library.close()
    }

    @Test("opening restores a missing database from its snapshot")
    func gone() async throws {
        try await {
            let library = try await filled(3)
            _ = try await library.takeSnapshot()
            await library.close()
        }()
        try FileManager.default.removeItem(atPath: database)
        let library = try await folder.open()
        #expect(await library.recovery.salvage?.source == .snapshot)
        #expect(try await captions(library) == ["Größe", nil, nil])
        await library.close()
    }

    @Test("no number is given twice if the database is lost before the next snapshot")
    func twice() async throws {
        var known = Set<Int64>()
        var snapshot: LibrarySnapshot?
        try await {
            let library = try await filled(3)
            snapshot = try await library.takeSnapshot()
            await library.close()
        }()
        for loss in 1...3 {
            try FileManager.default.removeItem(atPath: database)
            let library = try await folder.open()
            let report = await library.recovered()
            #expect(report.salvage?.snapshot?.createdAt == snapshot?.createdAt)
            // Photos added since the snapshot are adopted with new numbers.
            #expect(report.adopted.count == loss - 1)
            let numbers = try await library.assets(.everything, limit: 100).map(\.sequence)
            #expect(numbers.prefix(3) == [1, 2, 3])
            let new =
                numbers.dropFirst(3) + [try await library.add(photo(number: 90)).sequence]
            #expect(known.isDisjoint(with: new))
            known.formUnion(new)
            #expect(try await captions(library).first == "Größe")
            await library.close()
        }
    }

    @Test("every loss without snapshots gives the originals new numbers")
    func twiceWithoutSnapshot() async throws {
        try await filled(2).close()
        var known: Set<Int64> = [1, 2]
        for _ in 1...3 {
            try Data(repeating: 0x5A, count: 8192).write(to: URL(fileURLWithPath: database))
            _ = try #require(try await AssetLibrary.salvage(at: folder.root))
            let library = try await folder.open()
            #expect(await library.recovered().adopted.count == 2)
            let numbers = try await library.assets(.everything, limit: 10).map(\.sequence)
            #expect(numbers.count == 2 && known.isDisjoint(with: numbers))
            known.formUnion(numbers)
            await library.close()
        }
    }

    @Test("the next open completes a restoration that a crash interrupted")
    func cutOff() async throws {
        let library = try await filled(3)
        let snapshot = try #require(try await library.takeSnapshot())
        await library.close()
        // The replacement has its name. The damaged database is quarantined, except for its WAL.
        try FileManager.default.copyItem(
            atPath: snapshot.path, toPath: folder.root + "/library.restored.sqlite")
        try FileManager.default.removeItem(atPath: database)
        try Data(repeating: 1, count: 4096).write(to: URL(fileURLWithPath: database + "-wal"))
        let again = try await folder.open()
        #expect(try await captions(again) == ["Größe", nil, nil])
        #expect(try quarantined() == ["library.sqlite-wal"])
        await again.close()
    }
}
