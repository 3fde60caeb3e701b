// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Synchronization
import TestSupport
import Testing

@Suite("verify and repair")
struct CareTests {
    private let folder: LibraryFolder

    init() throws { folder = try LibraryFolder() }

    /// Adds six photos, the last with a thumbnail, and closes the library.
    private func filled() async throws -> [Asset] {
        let library = try await folder.open()
        var assets: [Asset] = []
        for number in 1...6 {
            assets.append(
                try await library.add(
                    photo(number: Int64(number), thumbnail: number == 6 ? jpeg(bytes: 200) : nil)))
        }
        await library.close()
        return assets
    }

    private func original(_ asset: Asset) -> String {
        "\(folder.root)/originals/2026/11/22/\(asset.id.uuidString.lowercased()).jpg"
    }

    private func verify(deep: Bool = true) async throws -> LibraryVerification {
        let library = try await folder.open()
        let verification = try await library.verify(deep: deep)
        await library.close()
        return verification
    }

    /// Returns the hashes of all files except the database, the lock and derived files. Repairs
    /// must not lose any of them.
    private func contents() async throws -> [String] {
        try await command([
            "sh", "-c",
            "find \(folder.root) -type f ! -path '*/derived/*' ! -name 'library.sqlite*' "
                + "! -name lock -exec sha256sum -z {} + | cut -z -c -64 | tr '\\0' '\\n' | sort",
        ]).lines
    }

    @Test("verifying an intact library examines everything and finds nothing")
    func clean() async throws {
        let assets = try await filled()
        let verification = try await verify()
        #expect(verification.findings.isEmpty)
        #expect(verification.assets == 6 && verification.files == 6)
        #expect(verification.bytesRead == assets.map(\.bytes).reduce(0, +))
        #expect(try await verify(deep: false).bytesRead == 0)
    }

    @Test("foreign files are found in every folder of the library and quarantined")
    func strangeFiles() async throws {
        _ = try await filled()
        let library = try await folder.open()
        _ = try await library.takeSnapshot()
        // A power cut can leave this file.
        try folder.write([1], to: "\(folder.root)/snapshots/new.part-journal")
        #expect(try await library.verify(deep: true).findings == [])
        let places = ["note.txt", "derived/note.txt", "snapshots/note.txt", "a folder"]
        for place in places.prefix(3) { try folder.write([1], to: "\(folder.root)/\(place)") }
        let made = try await command([
            "sh", "-c",
            "mkdir '\(folder.root)/a folder' '\(folder.root)/lost+found'; "
                + "touch \"$(printf '\(folder.root)/originals/\\377.jpg')\" \"$(printf '\(folder.root)/\\377')\"",
        ])
        #expect(made.status == 0, "\(made.errors)")
        let found = try await library.verify().findings
        #expect(found.allSatisfy { $0.kind == .foreign })
        #expect(Set(found.compactMap(\.path)) == Set(places))
        let nameless = found.filter { $0.path == nil }
        #expect(nameless.count == 2 && nameless.allSatisfy { $0.repair == nil })
        #expect(nameless.contains { $0.message.hasPrefix("originals/") })
        let outcomes = try await library.repair(found.filter { $0.repair != nil })
        #expect(outcomes.allSatisfy { $0.result == .repaired })
        #expect(try await library.verify().findings.map(\.message) == nameless.map(\.message))
        let kept = try await command(["find", "\(folder.root)/quarantine", "-name", "note.txt"])
        #expect(kept.lines.count == 3)
        await library.close()
    }

    @Test("every kind of damage is found, and repairs lose no content")
    func damages() async throws {
        let assets = try await filled()
        let files = FileManager.default
        // The first original is elsewhere. The second is altered, with a copy elsewhere.
        try files.moveItem(
            atPath: original(assets[0]), toPath: folder.root + "/originals/2026/lost\nfile")
        try files.copyItem(
            atPath: original(assets[1]), toPath: folder.root + "/originals/copy of 2.jpg")
        var bytes = try #require(files.contents(atPath: original(assets[1])))
        bytes[700] ^= 1
        try bytes.write(to: URL(fileURLWithPath: original(assets[1])))
        // The third is cut short. The fourth is gone for good.
        try Data(bytes.prefix(100)).write(to: URL(fileURLWithPath: original(assets[2])))
        try files.removeItem(atPath: original(assets[3]))
        // An original without a row, a second file with an asset's id, and foreign files.
        let orphan = UUID().uuidString.lowercased()
        try folder.write(jpeg(), to: folder.root + "/originals/2026/11/22/\(orphan).jpg")
        try folder.write(
            jpeg(),
            to: folder.root + "/originals/2020/01/01/\(assets[4].id.uuidString.lowercased()).jpg")
        try folder.write([1], to: folder.root + "/originals/2026/11/22/note.txt")
        try folder.write([1], to: folder.root + "/incoming/somebody's")
        let thumbnails = folder.root + "/derived/thumbnails/"
        try folder.write(
            [0xFF, 0xD8, 1], to: thumbnails + assets[5].id.uuidString.lowercased() + ".jpg")
        try folder.write(
            jpeg(bytes: 9), to: thumbnails + orphan.replacing("-", with: "-").uppercased() + ".jpg")
        _ = try await folder.sqlite(
            """
            UPDATE counter SET count = count + 1 WHERE name = 'photo';
            UPDATE view_counter SET bytes = 3 WHERE name = 'view';
            UPDATE session SET count = 99;
            UPDATE moment SET end_offset_s = 5;
            """)
        let before = try await contents()

        let quick = try await verify(deep: false)
        #expect(!quick.findings.contains { $0.asset == 2 })
        let found = try await verify()
        func kinds(_ kind: LibraryFinding.Kind) -> [LibraryFinding] {
            found.findings.filter { $0.kind == kind }
        }
        #expect(kinds(.missing).map(\.asset) == [1, 4])
        #expect(kinds(.missing).map(\.repair) == [.restore, nil])
        #expect(kinds(.damaged).map(\.asset) == [2, 3])
        #expect(kinds(.damaged).map(\.repair) == [.restore, .quarantine])
        #expect(kinds(.orphan).map(\.path) == ["originals/2026/11/22/\(orphan).jpg"])
        #expect(
            Set(kinds(.foreign).compactMap(\.path)) == [
                "originals/2026/lost\nfile", "originals/copy of 2.jpg",
                "originals/2020/01/01/\(assets[4].id.uuidString.lowercased()).jpg",
                "originals/2026/11/22/note.txt", "incoming/somebody's",
                "derived/thumbnails/\(orphan.uppercased()).jpg",
            ])
        #expect(kinds(.thumbnail).count == 1)
        #expect(kinds(.count).count == 4)

        let library = try await folder.open()
        let outcomes = try await library.repair(found.findings)
        #expect(outcomes.filter { $0.result == .failed }.map(\.message) == [])
        // A file that restored an original has left its place, so it is not quarantined.
        #expect(outcomes.filter { $0.result == .goneMeanwhile }.count == 2)
        let after = try await library.verify(deep: true)
        #expect(after.findings.map(\.kind) == [.missing, .missing])
        #expect(after.findings.map(\.asset) == [3, 4])
        #expect(try await library.asset(id: orphan).recovered)
        #expect(try await contents() == before)
        // sha256sum finds the original contents.
        #expect(
            try await folder.originals()[assets[0].id.uuidString.lowercased()] == assets[0].sha256)
        #expect(
            try await folder.originals()[assets[1].id.uuidString.lowercased()] == assets[1].sha256)
        #expect(try await folder.sqlite("SELECT count FROM counter WHERE name = 'photo'") == ["7"])
        // Asset 3 stays missing, because its only copy, in quarantine, is cut short.
        let again = try await library.repair(found.findings)
        #expect(again.allSatisfy { $0.result == .goneMeanwhile })
        await library.close()
    }

    @Test("foreign files of the same name are quarantined under different names")
    func names() async throws {
        _ = try await filled()
        let library = try await folder.open()
        for round in 0..<3 {
            try folder.write([UInt8(round)], to: folder.root + "/originals/2026/11/22/note")
            let found = try await library.verify()
            #expect(try await library.repair(found.findings).map(\.result) == [.repaired])
        }
        #expect(
            try folder.names(folder.root + "/quarantine/originals/2026/11/22")
                == ["note", "note.1", "note.2"])
        await library.close()
    }

    @Test("forged findings repair nothing")
    func strangers() async throws {
        _ = try await filled()
        let library = try await folder.open()
        try folder.write([1], to: folder.path + "/outside")
        for path in [
            "library.sqlite", "../outside", "originals/../../outside",
            "originals/../library.sqlite",
            "originals/2026/11/22", "/etc/passwd",
        ] {
            for kind in ["foreign", "orphan", "thumbnail", "leftover"] {
                for repair in ["quarantine", "remake", "adopt", "restore"] {
                    let json = """
                        {"kind":"\(kind)","path":"\(path)","message":"","repair":"\(repair)",
                        "asset":1,"source":"\(path)"}
                        """
                    let finding = try JSONDecoder().decode(
                        LibraryFinding.self, from: Data(json.utf8))
                    let outcome = try await library.repair([finding])
                    #expect(outcome.allSatisfy { $0.result != .repaired }, "\(json)")
                }
            }
        }
        #expect(try folder.names(folder.path).contains("outside"))
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }

    @Test("photos added during a verification are not findings")
    func concurrent() async throws {
        _ = try await filled()
        let library = try await folder.open()
        let taking = Task {
            for number in 0..<60 { try await library.add(photo(number: Int64(number))) }
        }
        for _ in 0..<15 { #expect(try await library.verify(deep: true).findings.isEmpty) }
        try await taking.value
        #expect(try await library.verify(deep: true).assets == 66)
        await library.close()
    }

    @Test("a staged file is a finding only once it is more than an hour old")
    func staged() async throws {
        _ = try await filled()
        let library = try await folder.open()
        try folder.write([1], to: folder.path + "/photo.jpg")
        let (staging, id) = (library.stagingFolder(), UUID())
        _ = try staging.copy(folder.path + "/photo.jpg", as: id)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        _ = try await command(["touch", "-d", "61 minutes ago", staging.path(of: id)])
        #expect(try await library.verify(deep: true).findings.map(\.kind) == [.leftover])
        staging.discard(id)
        await library.close()
    }

    @Test("photos can be added while a repair reads a long original")
    func meanwhile() async throws {
        let assets = try await filled()
        let orphan = UUID().uuidString.lowercased()
        try folder.write(jpeg(), to: folder.root + "/originals/2026/11/22/\(orphan).jpg")
        let copy = folder.root + "/originals/2026/copy"
        try FileManager.default.moveItem(atPath: original(assets[2]), toPath: copy)
        let stop = ReadingStop()
        let library = try await folder.open(stop)
        let findings = try await library.verify().findings.filter { $0.kind != .foreign }
        #expect(findings.map(\.kind) == [.missing, .orphan])
        async let outcomes = library.repair(findings)
        var begun = stop.begun.makeAsyncIterator()
        #expect(
            await begun.next()?.hasSuffix("\(assets[2].id.uuidString.lowercased()).jpg") == true)
        let stored = try await library.add(photo(number: 99))
        stop.letGo()
        #expect(try await outcomes.map(\.result) == [.repaired, .repaired])
        #expect(try await library.asset(id: orphan).sequence == stored.sequence + 1)
        #expect(try await library.verify(deep: true).findings == [])
        await library.close()
    }

    @Test("a file that changes while its repair reads it is left alone")
    func changedMeanwhile() async throws {
        let assets = try await filled()
        let path = original(assets[1])
        let good = try #require(FileManager.default.contents(atPath: path))
        var bytes = good
        bytes[700] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        let stop = ReadingStop()
        let library = try await folder.open(stop)
        let findings = try await library.verify(deep: true).findings
        #expect(findings.map(\.repair) == [.quarantine])
        async let outcomes = library.repair(findings)
        for await _ in stop.begun { break }
        try good.write(to: URL(fileURLWithPath: path))
        stop.letGo()
        #expect(try await outcomes.map(\.result) == [.goneMeanwhile])
        #expect(try await library.verify(deep: true).findings == [])
        await library.close()
    }

    @Test("originals are restored only from originals/ and quarantine/")
    func sources() async throws {
        let assets = try await filled()
        try FileManager.default.removeItem(atPath: original(assets[0]))
        let library = try await folder.open()
        let finding = try #require(try await library.verify().findings.first)
        for source in ["library.sqlite", "library.sqlite-shm", "originals/../library.sqlite"] {
            let outcomes = try await library.repair([finding.restoring(from: source)])
            #expect(outcomes.map(\.result) == [.failed])
            #expect(outcomes.first?.message.contains("not in originals/ or quarantine/") == true)
        }
        await library.close()
    }

    @Test("orphaned rows left by another program are found and removed")
    func strays() async throws {
        let assets = try await filled()
        let library = try await folder.open()
        var request = LibraryChanges()
        let year = request.createFolder("2026")
        let album = request.createAlbum("Fair", in: year)
        request.change(album, .addAssets(assets.map(\.id), at: nil))
        request.change(assets.map(\.id), .addKeywords(["x"]))
        _ = try await library.perform(request)
        await library.close()
        // sqlite3 does not enforce foreign keys unless it is told to.
        _ = try await folder.sqlite(
            "DELETE FROM asset WHERE sequence = 2; DELETE FROM collection WHERE type = 'folder'")
        try FileManager.default.removeItem(atPath: original(assets[1]))
        let again = try await folder.open()
        let findings = try await again.verify(deep: true).findings
        #expect(findings.map(\.kind) == Array(repeating: .count, count: 4))
        #expect(findings.map(\.repair) == Array(repeating: .recount, count: 4))
        #expect(try await again.repair(findings).map(\.result) == findings.map { _ in .repaired })
        #expect(try await again.verify(deep: true).findings == [])
        #expect(try await sequences(again.fetchAssets(in: album)) == [1, 3, 4, 5, 6])
        #expect(
            try await again.collections(CollectionFetchOptions(.albums, in: .top)).map(\.id)
                == [album])
        #expect(try await folder.sqlite("PRAGMA foreign_key_check") == [])
        await again.close()
    }

    @Test("a damaged database page is a finding and does not make the verification fail")
    func damagedPage() async throws {
        let random = try await RandomLibrary(assets: 2000, seed: 3)
        let file = random.folder.root + "/library.sqlite"
        _ = try await random.folder.sqlite("PRAGMA wal_checkpoint(truncate)")
        let page = try await random.folder.sqlite(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'asset_content'")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.seek(toOffset: (UInt64(page[0]) ?? 0) * 4096 - 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try handle.close()
        let library = try await random.folder.open()
        let verification = try await library.verify()
        #expect(!verification.findings.isEmpty)
        #expect(verification.findings.allSatisfy { $0.kind == .database && $0.repair == nil })
        await library.close()
    }

    @Test("a verification can be cancelled")
    func cancelled() async throws {
        let random = try await RandomLibrary(assets: 3000, seed: 4)
        let library = try await random.folder.open()
        let begun = Mutex(false)
        let isCancelled = Mutex(false)
        let verifying = Task {
            try await library.verify { _, _ in
                begun.withLock { $0 = true }
                // Waits for the cancellation, however late it comes.
                while !isCancelled.withLock(\.self) { usleep(1000) }
            }.findings.count
        }
        try await waitUntil { begun.withLock(\.self) }
        verifying.cancel()
        isCancelled.withLock { $0 = true }
        let error = await #expect(throws: LibraryError.self) { try await verifying.value }
        #expect(error?.code == .cancelled)
        await library.close()
    }
}
