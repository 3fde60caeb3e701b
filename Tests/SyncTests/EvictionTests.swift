// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Imaging
import Library
import LinuxIO
import Media
import Settings
import Sync
import TestSupport
import Testing

/// Tests of originals that go once the remote has them, and come back.
@Suite("eviction", .timeLimit(.common))
struct EvictionTests {
    private func policy(_ kiosk: Kiosk, most: Int) -> RetentionPolicy {
        var policy = RetentionPolicy(mostAssets: most)
        policy.remote = kiosk.remote
        return policy
    }

    private func path(_ kiosk: Kiosk, _ asset: Asset) async throws -> String {
        try await kiosk.library.resource(id: asset.id.text).path
    }

    private func isThere(_ path: String) throws -> Bool { try FileTree.entry(path) != nil }

    @Test("only an original that the remote is proven to have goes; its picture stays")
    func evict() async throws {
        let kiosk = try await Kiosk()
        let assets = try await kiosk.take(3, of: Dimensions(width: 2400, height: 1600))
        let rules = policy(kiosk, most: 1)
        // The folder of pictures that stay is none that an older version would complain about.
        #expect(try !isThere(kiosk.folder.path(of: "library/derived/previews")))
        // Nothing is verified yet.
        let before = try await kiosk.library.applyRetention(rules)
        #expect(before.count == 0 && before.waitingForSync == 2)
        _ = try await kiosk.sync()
        let planned = try await kiosk.library.retention(rules)
        #expect(planned.evicted == 2 && planned.waitingForSync == 0)
        let report = try await kiosk.library.applyRetention(rules)
        #expect(report.count == 2 && report.evicted == 2)
        for (index, asset) in assets.enumerated() {
            let now = try await kiosk.library.asset(id: asset.id.text)
            #expect(now.isRemoteOnly == (index < 2))
            #expect(try isThere(try await path(kiosk, asset)) == (index == 2))
        }
        // Nothing is wrong with the library, and nothing more goes.
        #expect(try await kiosk.library.verify(deep: true).findings.isEmpty)
        #expect(try await kiosk.library.applyRetention(rules).count == 0)
        #expect(try await kiosk.sync().verified == 0)
        // A screen has a picture, and the whole one is elsewhere.
        let gone = try await kiosk.library.asset(id: assets[0].id.text)
        let images = ImageManager(kiosk.library)
        var screen: ImageDelivery?
        for await delivery in images.requestImage(
            for: gone, targetSize: Dimensions(width: 1280, height: 720))
        { screen = delivery }
        guard case .final(let picture) = screen else {
            Issue.record("\(String(describing: screen))")
            return
        }
        #expect(picture.description.dimensions == Dimensions(width: 1080, height: 720))
        let whole = await #expect(throws: LibraryError.self) {
            try await images.jpeg(of: kiosk.library.resource(id: gone.id.text))
        }
        #expect(whole?.code == .remoteOnly)
    }

    @Test("without the proof, or with another remote's, nothing goes")
    func unproven() async throws {
        let kiosk = try await Kiosk()
        _ = try await kiosk.take(2)
        _ = try await kiosk.sync()
        var other = RetentionPolicy(mostAssets: 1)
        other.remote = SyncRemote(location: kiosk.remote.location, device: "other")
        #expect(try await kiosk.library.applyRetention(other).waitingForSync == 1)
        other.remote = nil
        #expect(try await kiosk.library.applyRetention(other).waitingForSync == 1)
        // What is no longer as it was sent is no proof.
        let key = try #require(
            try kiosk.files().first { $0.hasPrefix("kiosk/originals/") })
        for file in try kiosk.files() where file.hasPrefix("kiosk/originals/") {
            try Data("damaged".utf8).write(to: URL(filePath: "\(kiosk.remoteFolder)/\(file)"))
        }
        #expect(try await kiosk.check().values.contains("sync.differs"), "\(key)")
        #expect(
            try await kiosk.library.applyRetention(policy(kiosk, most: 1)).waitingForSync == 1)
    }

    @Test("an original comes back, checked; a damaged one does not")
    func comeBack() async throws {
        let kiosk = try await Kiosk()
        let assets = try await kiosk.take(2)
        _ = try await kiosk.sync()
        _ = try await kiosk.library.applyRetention(policy(kiosk, most: 0))
        let returner = SyncReturner(
            ledger: kiosk.library, remote: kiosk.remote,
            rclone: Rclone(location: kiosk.remote.location, configuration: nil),
            staging: kiosk.folder.path(of: "staging"))
        #expect(try await returner.bringBack(assets[0].id.text) == assets[0].bytes)
        let back = try await kiosk.library.asset(id: assets[0].id.text)
        #expect(!back.isRemoteOnly)
        #expect(
            try Program.run("sha256sum", [try await path(kiosk, back)]).output
                .hasPrefix(assets[0].sha256))
        #expect(try await returner.bringBack(assets[0].id.text) == 0)
        let object = "\(kiosk.remoteFolder)/kiosk/originals/2026/11/22/\(assets[1].id.text).jpg"
        try Data(repeating: 1, count: Int(assets[1].bytes)).write(to: URL(filePath: object))
        let failure = await #expect(throws: SyncFailure.self) {
            try await returner.bringBack(assets[1].id.text)
        }
        #expect(failure?.code == "sync.differs")
        #expect(try await kiosk.library.asset(id: assets[1].id.text).isRemoteOnly)
        #expect(try await kiosk.library.verify(deep: true).findings.isEmpty)
    }

    @Test("a purge reaches the remote and what stayed here")
    func purge() async throws {
        let kiosk = try await Kiosk(deletion: .mirror)
        let assets = try await kiosk.take(2, of: Dimensions(width: 640, height: 480))
        _ = try await kiosk.sync()
        _ = try await kiosk.library.applyRetention(policy(kiosk, most: 0))
        #expect(try kiosk.previews().count == 2)
        var changes = LibraryChanges()
        changes.change([assets[0].id], .delete)
        changes.change([assets[0].id], .purge)
        _ = try await kiosk.library.perform(changes)
        #expect(try kiosk.previews().count == 1)
        _ = try await kiosk.sync()
        #expect(try kiosk.files().count { $0.hasPrefix("kiosk/originals/") } == 1)
    }

    @Test("an original that the remote loses is named as lost, until a copy is put there")
    func lost() async throws {
        let kiosk = try await Kiosk()
        let assets = try await kiosk.take(2)
        _ = try await kiosk.sync()
        _ = try await kiosk.library.applyRetention(policy(kiosk, most: 1))
        let files = try assets.map { asset in
            let key = "originals/2026/11/22/\(asset.id.text).jpg"
            let content = try kiosk.arrived(key)
            try FileManager.default.removeItem(atPath: "\(kiosk.remoteFolder)/kiosk/\(key)")
            return (key: key, content: content)
        }
        let wrong = try await kiosk.check()
        #expect(wrong == [files[0].key: "sync.lost", files[1].key: "sync.absent"])
        // The library still has the other one, and sends it again.
        try await kiosk.library.retryFailed(for: kiosk.remote)
        #expect(try await kiosk.sync().failed == 0)
        #expect(try kiosk.arrived(files[1].key) == files[1].content)
        #expect(try await kiosk.check() == [files[0].key: "sync.lost"])
        try Data(files[0].content).write(
            to: URL(filePath: "\(kiosk.remoteFolder)/kiosk/\(files[0].key)"))
        #expect(try await kiosk.check() == [:])
        #expect(try await kiosk.progress().failed == 0)
    }

    @Test("after a crash between the row and the file, the next run removes the file")
    func crash() async throws {
        let kiosk = try await Kiosk()
        let assets = try await kiosk.take(1)
        _ = try await kiosk.sync()
        let file = try await path(kiosk, assets[0])
        let content = try Data(contentsOf: URL(filePath: file))
        _ = try await kiosk.library.applyRetention(policy(kiosk, most: 0))
        // The same state as before the removal.
        try content.write(to: URL(filePath: file))
        await kiosk.library.close()
        _ = try Program.run(
            "sqlite3",
            [
                kiosk.folder.path(of: "library/library.sqlite"),
                "UPDATE evicted_original SET is_removed = 0",
            ])
        let library = try await AssetLibrary.open(
            at: kiosk.folder.path(of: "library"), reserveMegabytes: 0)
        #expect(await library.recovered().missing.isEmpty)
        #expect(try await library.verify().findings.isEmpty)
        _ = try await library.applyRetention(policy(kiosk, most: 0))
        #expect(try !isThere(file))
        await library.close()
    }
}
