// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

@Suite("AssetLibrary")
struct AssetLibraryTests {
    @Test("an added photo is a file, a row, a change and an outbox entry")
    func added() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let content = jpeg()
        let finished = photo(content)
        let asset = try await library.add(finished)
        let id = finished.id.uuidString.lowercased()
        let path = folder.root + "/originals/2026/11/22/\(id).jpg"
        #expect(FileManager.default.contents(atPath: path).map(Array.init) == content)
        #expect(try await folder.originals() == [id: asset.sha256])
        #expect(
            try await folder.sqlite(
                """
                SELECT sequence, id, media_type, path, bytes, lower(hex(sha256)), created_at,
                utc_offset_s, boot_id, boottime, shutter_offset_us, recovered FROM asset
                """) == [
                    "1|\(id)|photo|2026/11/22/\(id).jpg|\(content.count)|\(asset.sha256)|"
                        + "1795347005123456789|3600|9c5a0a9d-0000-4000-8000-000000000000|12345|-8123|0"
                ])
        #expect(
            try await folder.sqlite("SELECT token, kind, asset, origin FROM change")
                == ["1|inserted|1|capture"])
        #expect(try await folder.sqlite("SELECT asset FROM outbox") == ["1"])
        #expect(
            try await folder.sqlite("PRAGMA integrity_check; PRAGMA foreign_key_check") == ["ok"])
        #expect(try await library.resource(id: asset.id.uuidString).path == path)
        await library.close()
    }

    @Test("an asset's JSON has the documented keys and decodes to the same asset")
    func json() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let asset = try await library.add(photo())
        let data = try JSONEncoder().encode(asset)
        let object = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "id", "mediaType", "sequence", "createdAt", "timeConfidence", "width", "height",
                "orientation", "bytes", "sha256", "fileName", "frameSequence",
                "shutterOffsetMicroseconds", "shutterReference", "deviceName", "sessionId",
                "addedAt",
            ])
        #expect(object["createdAt"] as? String == "2026-11-22T12:30:05.123+01:00")
        #expect(object["fileName"] as? String == "2026-11-22_12-30-05_000001.jpg")
        #expect(object["shutterOffsetMicroseconds"] as? Int == -8123)
        let again = try JSONDecoder().decode(Asset.self, from: data)
        #expect(try JSONEncoder().encode(again).count == data.count)
        #expect(again.id == asset.id)
        await library.close()
    }

    @Test(
        "wall time agrees with date(1)", arguments: [0, 951_827_696, 1_795_347_005, 4_102_444_799])
    func wallTime(seconds: Int64) async throws {
        let time = WallTime(nanoseconds: seconds * 1_000_000_000, utcOffsetSeconds: 0)
        let oracle = try await command(
            ["date", "-u", "-d", "@\(seconds)", "+%Y-%m-%dT%H:%M:%S.000+00:00"])
        #expect(time.description == oracle.lines.first)
        #expect(WallTime(time.description) == time)
        let west = WallTime(nanoseconds: seconds * 1_000_000_000, utcOffsetSeconds: -12_600)
        #expect(WallTime(west.description) == west)
        #expect(west.description.hasSuffix("-03:30"))
    }

    @Test(
        "time confidence depends on clock synchronization and a hardware clock",
        arguments: [
            (true, true, Asset.TimeConfidence.synchronized), (true, false, .synchronized),
            (false, true, .estimated), (false, false, .unknown),
        ])
    func confidence(_ synchronized: Bool, _ hardware: Bool, _ expected: Asset.TimeConfidence) {
        #expect(
            Asset.TimeConfidence(isSynchronized: synchronized, hasHardwareClock: hardware)
                == expected)
    }

    @Test("a library whose medium does not respond delays no other library", .timeLimit(.common))
    func hangingMedium() async throws {
        let (folder, other) = (try LibraryFolder(), try LibraryFolder())
        let medium = DispatchSemaphore(value: 0)
        let hanging = try await AssetLibrary.open(at: folder.root, reserveMegabytes: 0) { _ in
            medium.wait()
            return .max
        }
        async let late = hanging.add(photo())
        let library = try await other.open()
        #expect(try await library.add(photo()).sequence == 1)
        await library.close()
        medium.signal()
        #expect(try await late.sequence == 1)
        await hanging.close()
    }

    @Test(
        "photos need extra free space after a full disk, but not after other errors",
        arguments: [(ENOSPC, false), (EIO, true)])
    func edge(failure: CInt, isTaken: Bool) async throws {
        let folder = try LibraryFolder()
        let free = Mutex<Int64?>(nil)
        let library = try await AssetLibrary.open(at: folder.root, reserveMegabytes: 100) {
            _ throws(SystemCallError) in
            guard let free = free.withLock(\.self) else {
                throw SystemCallError(call: "statvfs", code: failure)
            }
            return free
        }
        await #expect(throws: LibraryError.self) { try await library.add(photo()) }
        free.withLock { $0 = 108 << 20 }
        #expect(((try? await library.admission()) != nil) == isTaken)
        free.withLock { $0 = 117 << 20 }
        try await library.admission()
        await library.close()
    }

    @Test("an asset is found by its id, the beginning of its id, or its sequence number")
    func lookup() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let ids = [
            "aaaa1111-0000-4000-8000-000000000001", "aaaa2222-0000-4000-8000-000000000002",
            "12340000-0000-4000-8000-000000000003",
        ]
        for id in ids { try await library.add(photo(id: #require(UUID(uuidString: id)))) }
        #expect(try await library.asset(id: ids[1]).sequence == 2)
        #expect(try await library.asset(id: ids[1].uppercased()).sequence == 2)
        #expect(try await library.asset(id: "aaaa2").sequence == 2)
        #expect(try await library.asset(id: "3").sequence == 3)
        #expect(try await library.asset(id: "000003").sequence == 3)
        #expect(try await library.asset(id: "1234").sequence == 3)
        for (text, code) in [
            ("aaaa", LibraryError.Code.ambiguous), ("aaa", .notFound), ("9", .notFound),
            ("bbbb", .notFound), ("", .notFound), ("aaaa%", .notFound), ("-1", .notFound),
        ] {
            let error = await #expect(throws: LibraryError.self) {
                _ = try await library.asset(id: text)
            }
            #expect(error?.code == code, "\(text)")
        }
        await library.close()
    }

    @Test("adding a photo twice makes one asset; another photo with its id is refused")
    func sameID() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let finished = photo()
        let asset = try await library.add(finished)
        #expect(try await library.add(finished) == asset)
        let error = await #expect(throws: LibraryError.self) {
            try await library.add(photo(id: finished.id))
        }
        #expect(error?.code == .conflict)
        #expect(try await library.statistics().assets == 1)
        #expect(try await folder.originals().count == 1)
        await library.close()
    }

    @Test("a photo without bytes or with a path as its extension is refused")
    func invalid() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        var escaping = photo()
        escaping.fileExtension = "/../x"
        for finished in [photo([]), escaping] {
            let error = await #expect(throws: LibraryError.self) {
                try await library.add(finished)
            }
            #expect(error?.code == .invalid)
        }
        #expect(try await folder.originals() == [:])
        await library.close()
    }

    @Test("counters follow additions, removals and updates")
    func counters() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        var bytes: Int64 = 0
        for number in 0..<5 {
            bytes += try await library.add(photo(jpeg(bytes: 1000 + number))).bytes
        }
        var statistics = try await library.statistics()
        #expect(statistics.assets == 5)
        #expect(statistics.photos == 5)
        #expect(statistics.videos == 0)
        #expect(statistics.bytes == bytes)
        #expect(statistics.freeBytes > 0)
        _ = try await folder.sqlite(
            """
            PRAGMA foreign_keys = ON; DELETE FROM asset WHERE sequence = 1;
            UPDATE asset SET media_type = 'video', bytes = 7 WHERE sequence = 2;
            """)
        statistics = try await library.statistics()
        #expect(statistics.assets == 4)
        #expect(statistics.photos == 3)
        #expect(statistics.videos == 1)
        #expect(
            try await folder.sqlite("SELECT sum(bytes), count(*) FROM asset")
                == ["\(statistics.bytes)|4"])
        #expect(try await folder.sqlite("SELECT count(*) FROM outbox") == ["4"])
        await library.close()
    }

    @Test("a photo's subtypes, burst and location are stored with it")
    func kindAndPlace() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        var finished = photo()
        finished.mediaSubtypes = [.burst, .hdr]
        finished.burstID = "b"
        finished.representsBurst = true
        finished.location = AssetLocation(latitude: 48.25, longitude: -16.5, altitude: 171)
        let asset = try await library.add(finished)
        #expect(asset.mediaSubtypes == [.burst, .hdr] && asset.burstID == "b")
        #expect(asset.representsBurst && asset.location == finished.location)
        finished = photo()
        finished.burstID = "b"
        _ = try await library.add(finished)
        // Only the burst's representative is in view.
        #expect(try await library.countOfAssets(in: nil, FetchOptions()) == 1)
        #expect(
            try await folder.sqlite(
                "SELECT subtypes, burst_id, represents_burst, latitude, longitude, altitude FROM asset"
            ) == ["17|b|1|48.25|-16.5|171.0", "0|b|0|||"])
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }

    @Test("a complete thumbnail is returned, a truncated one is not")
    func thumbnails() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let small = jpeg(bytes: 700)
        let asset = try await library.add(photo(thumbnail: small))
        let bare = try await library.add(photo())
        #expect(await library.thumbnail(of: asset) == small)
        #expect(await library.thumbnail(of: bare) == nil)
        let path = folder.root + "/derived/thumbnails/\(asset.id.uuidString.lowercased()).jpg"
        try folder.write(Array(small.dropLast(300)), to: path)
        #expect(await library.thumbnail(of: asset) == nil)
        await library.close()
    }

    @Test("pages neither repeat nor skip assets while photos are added")
    func pages() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for number in 0..<40 { try await library.add(photo(number: Int64(number))) }
        let adding = Task {
            for number in 40..<120 { try await library.add(photo(number: Int64(number))) }
        }
        let newestFirst = FetchOptions(
            sortDescriptors: [AssetSortDescriptor(.sequence, ascending: false)])
        var newest: [Int64] = []
        var cursor: FetchCursor?
        while true {
            let page = try await library.assets(newestFirst, after: cursor, limit: 7)
            guard let last = page.last else { break }
            newest += page.map(\.sequence)
            cursor = FetchCursor(last, in: newestFirst)
        }
        try await adding.value
        let top = try #require(newest.first)
        #expect(newest == Array((1...top).reversed()))
        var oldest: [Int64] = []
        while true {
            let page = try await library.assets(
                after: oldest.last.map { FetchCursor(sequence: $0) }, limit: 11)
            if page.isEmpty { break }
            oldest += page.map(\.sequence)
        }
        #expect(oldest == Array(1...120))
        await library.close()
    }

    @Test("a closed library throws closed, and has all its assets when opened again")
    func closing() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let asset = try await library.add(photo())
        await library.close()
        await library.close()
        #expect(await library.state == .closed)
        let adding = await #expect(throws: LibraryError.self) { try await library.add(photo()) }
        #expect(adding?.code == .closed)
        let reading = await #expect(throws: LibraryError.self) {
            _ = try await library.assets(limit: 1)
        }
        #expect(reading?.code == .closed)
        let again = try await folder.open()
        #expect(try await again.assets(limit: 5) == [asset])
        #expect(await again.recovery == AssetLibrary.Recovery())
        await again.close()
    }

    @Test("pages and counters of 100,000 assets are right (times are printed)")
    func manyAssets() async throws {
        let folder = try LibraryFolder()
        try await folder.open().close()
        _ = try await folder.sqlite(manyRows(100_000))
        let library = try await folder.open()
        #expect(try await library.statistics().assets == 100_000)
        for (name, after) in [("first", Int64?.none), ("middle", 50_000), ("last", 99_900)] {
            let clock = ContinuousClock()
            var times: [Duration] = []
            var page: [Asset] = []
            for _ in 0..<21 {
                let start = clock.now
                page = try await library.assets(
                    after: after.map { FetchCursor(sequence: $0) }, limit: 100)
                times.append(clock.now - start)
            }
            print("page of 100 of 100,000, \(name): \(times.sorted()[10])")
            #expect(page.first?.sequence == (after ?? 0) + 1)
            #expect(page.count == 100)
        }
        await library.close()
    }

    @Test("the original of known content is looked up on the reader's thread")
    func holder() async throws {
        let folder = try LibraryFolder()
        let looked = Mutex<[String]>([])
        let reader = OriginalReader { path in looked.withLock { $0.append(path) } }
        let library = try await AssetLibrary.open(
            at: folder.root, reserveMegabytes: 0, reader: reader
        ) { _ throws(SystemCallError) in .max }
        let asset = try await library.add(photo())
        #expect(try await library.holder(ofContent: asset.sha256)?.isNew == false)
        let original = try await library.resource(id: asset.id.uuidString).path
        #expect(looked.withLock { $0 } == [original])
        await library.close()
    }

    /// Returns SQL that inserts rows without files.
    private func manyRows(_ count: Int) -> String {
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO asset (id, media_type, path, file_name, bytes, sha256, created_at,
            utc_offset_s, time_confidence, width, height, orientation)
        SELECT lower(hex(randomblob(4))) || '-0000-4000-8000-' || printf('%012x', i), 'photo',
            '2020/01/01/' || i || '.jpg', i || '.jpg', 1000, randomblob(32), i * 1000000000, 0,
            'unknown', 1, 1, 1 FROM n;
        """
    }
}
