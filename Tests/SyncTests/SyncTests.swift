// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import LinuxIO
import Network
import Settings
import Sync
import TestSupport
import Testing

@Suite("Sync")
struct SyncTests {
    @Test("originals, side-cars and a manifest arrive, and nothing is sent twice")
    func arrive() async throws {
        let kiosk = try await Kiosk()
        let assets = try await kiosk.take(3)
        let summary = try await kiosk.sync()
        #expect(summary.verified == 7)
        #expect(summary.failed == 0)
        #expect(summary.failure == nil)
        for asset in assets {
            let day = "2026/11/22/\(asset.id.uuidString.lowercased())"
            #expect(try kiosk.hash("originals/\(day).jpg") == asset.sha256)
            let sidecar =
                try JSONSerialization.jsonObject(
                    with: Data(try kiosk.arrived("sidecars/\(day).json"))) as? [String: Any]
            #expect(sidecar?["sha256"] as? String == asset.sha256)
            #expect(sidecar?["key"] as? String == "originals/\(day).jpg")
        }
        let manifest = String(
            decoding: try kiosk.arrived("manifests/2026-11-22.ndjson"), as: UTF8.self)
        let lines = try manifest.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(lines.count == 6)
        for line in lines {
            let key = try #require(line?["key"] as? String)
            #expect(try kiosk.hash(key) == line?["sha256"] as? String)
        }
        #expect(try await kiosk.sync().verified == 0)
        #expect(try kiosk.files().count == 7)
        #expect(try await kiosk.progress().pending == 0)
    }

    @Test("a caption and an album make a new side-car, and no other object")
    func sidecar() async throws {
        let kiosk = try await Kiosk()
        let asset = try await kiosk.take(1)[0]
        _ = try await kiosk.sync()
        var changes = LibraryChanges()
        changes.change([asset.id], .setCaption("Under the tree"))
        let album = changes.createAlbum("Party")
        changes.change(album, .addAssets([asset.id], at: nil))
        _ = try await kiosk.library.perform(changes)
        // The side-car and the manifest that names its hash.
        #expect(try await kiosk.sync().verified == 2)
        let text = String(
            decoding: try kiosk.arrived(
                "sidecars/2026/11/22/\(asset.id.uuidString.lowercased()).json"), as: UTF8.self)
        #expect(text.contains("\"caption\":\"Under the tree\""))
        #expect(text.contains("\"albums\":[\"Party\"]"))
        #expect(try kiosk.files().count == 3)
    }

    @Test(
        "a purged asset stays, moves to the trash or goes, as the policy says",
        arguments: [(SyncSettings.Deletion.keep, 6, 0), (.trash, 4, 2), (.mirror, 4, 0)])
    func purge(policy: SyncSettings.Deletion, kept: Int, trashed: Int) async throws {
        let kiosk = try await Kiosk(deletion: policy)
        let assets = try await kiosk.take(3)
        _ = try await kiosk.sync()
        try Data("mine".utf8).write(to: URL(filePath: "\(kiosk.remoteFolder)/kiosk/other.txt"))
        var changes = LibraryChanges()
        changes.change([assets[1].id], .delete)
        changes.change([assets[1].id], .purge)
        _ = try await kiosk.library.perform(changes)
        #expect(try await kiosk.sync().failed == 0)
        let files = try kiosk.files()
        #expect(
            files.filter { $0.hasPrefix("kiosk/originals/") || $0.hasPrefix("kiosk/sidecars/") }
                .count == kept)
        #expect(files.filter { $0.hasPrefix("trash/kiosk/") }.count == trashed)
        #expect(files.contains("kiosk/other.txt"))
        #expect(files.contains("kiosk/manifests/2026-11-22.ndjson"))
    }

    @Test("a person's purge everywhere reaches a remote that keeps what is purged")
    func purgeEverywhere() async throws {
        let kiosk = try await Kiosk(deletion: .keep)
        let assets = try await kiosk.take(3)
        _ = try await kiosk.sync()
        var changes = LibraryChanges()
        changes.change([assets[0].id, assets[1].id], .delete)
        changes.change([assets[0].id], .purge)
        changes.change([assets[1].id], .purgeEverywhere)
        _ = try await kiosk.library.perform(changes)
        let summary = try await kiosk.sync()
        #expect(summary.removed == 4 && summary.failed == 0)
        let files = try kiosk.files()
        #expect(files.count { $0.contains(assets[0].id.text) } == 2)
        #expect(!files.contains { $0.contains(assets[1].id.text) })
        let manifest = String(
            decoding: try kiosk.arrived("manifests/2026-11-22.ndjson"), as: UTF8.self)
        #expect(manifest.contains(assets[0].id.text) && !manifest.contains(assets[1].id.text))
    }

    @Test("what retention removes here stays at the remote, even if deletions are mirrored")
    func retention() async throws {
        let kiosk = try await Kiosk(deletion: .mirror)
        _ = try await kiosk.take(3)
        _ = try await kiosk.sync()
        let report = try await kiosk.library.applyRetention(
            RetentionPolicy(mostAssets: 1, requiresSync: false))
        #expect(report.count == 2)
        #expect(try await kiosk.sync().removed == 0)
        #expect(try kiosk.files().count { $0.hasPrefix("kiosk/originals/") } == 3)
    }

    @Test("what an interrupted run was sending is sent again")
    func interrupted() async throws {
        let kiosk = try await Kiosk()
        _ = try await kiosk.take(5)
        try await kiosk.library.beginSync(with: kiosk.remote, renditions: false)
        let begun = try await kiosk.library.nextObjects(for: kiosk.remote, limit: 3)
        #expect(begun.count == 3)
        try await kiosk.library.record([SyncReport(begun[0], .sent)], for: kiosk.remote)
        #expect(try await kiosk.sync().verified == 11)
        #expect(try await kiosk.progress().pending == 0)
    }

    @Test("another remote gets everything, and the first is still known when it comes back")
    func anotherRemote() async throws {
        let kiosk = try await Kiosk()
        _ = try await kiosk.take(2)
        _ = try await kiosk.sync()
        let other = SyncRemote(location: kiosk.remote.location, device: "other")
        #expect(try await kiosk.sync(with: other).verified == 5)
        _ = try await kiosk.take(1)
        #expect(try await kiosk.sync().verified == 3)
        #expect(try await kiosk.progress().pending == 0)
        #expect(try kiosk.files().count == 12)
    }

    @Test("a change while an object is on its way is not lost")
    func changedMeanwhile() async throws {
        let kiosk = try await Kiosk()
        let asset = try await kiosk.take(1)[0]
        _ = try await kiosk.sync()
        var changes = LibraryChanges()
        changes.change([asset.id], .setCaption("first"))
        _ = try await kiosk.library.perform(changes)
        let begun = try await kiosk.library.nextObjects(for: kiosk.remote, limit: 1)
        changes = LibraryChanges()
        changes.change([asset.id], .setCaption("second"))
        _ = try await kiosk.library.perform(changes)
        try await kiosk.library.record(
            [
                SyncReport(
                    begun[0],
                    .verified(bytes: begun[0].bytes, sha256: begun[0].sha256))
            ], for: kiosk.remote)
        #expect(try await kiosk.sync().verified == 2)
        let sidecar = "sidecars/2026/11/22/\(asset.id.uuidString.lowercased()).json"
        #expect(String(decoding: try kiosk.arrived(sidecar), as: UTF8.self).contains("second"))
    }

    @Test("an object that arrives damaged is noticed and sent again; without the check it is not")
    func damaged() async throws {
        for verifies in [false, true] {
            let kiosk = try await Kiosk()
            let server = try WebDAVServer(of: kiosk.remoteFolder)
            let asset = try await kiosk.take(1)[0]
            let remote = SyncRemote(location: server.remote, device: "kiosk")
            server.stop()
            _ = try await kiosk.sync(with: remote, configuration: server.configuration)
            try server.start()
            // WebDAV has no hashes, so at the next attempt rclone takes a file of the right size
            // for the right one.
            let key = "originals/2026/11/22/\(asset.id.uuidString.lowercased()).jpg"
            let file = URL(filePath: "\(kiosk.remoteFolder)/kiosk/\(key)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(repeating: 0, count: Int(asset.bytes)).write(to: file)
            let first = try await kiosk.sync(
                with: remote, configuration: server.configuration, verifies: verifies)
            if !verifies {
                #expect(first.failed == 0)
                #expect(try kiosk.hash(key) != asset.sha256)
                continue
            }
            #expect(first.lastFailure?.code == "sync.differs")
            #expect(try await kiosk.progress(of: remote).pending == 1)
            try await kiosk.library.retryFailed(for: remote)
            let second = try await kiosk.sync(with: remote, configuration: server.configuration)
            #expect(second.verified == 3)
            #expect(try kiosk.hash(key) == asset.sha256)
        }
    }

    @Test("a remote that cannot be reached is named, and everything arrives once it is back")
    func unreachable() async throws {
        let kiosk = try await Kiosk()
        _ = try await kiosk.take(2)
        let server = try WebDAVServer(of: kiosk.remoteFolder)
        let remote = SyncRemote(location: server.remote, device: "kiosk")
        server.stop()
        let summary = try await kiosk.sync(with: remote, configuration: server.configuration)
        #expect(summary.verified == 0)
        #expect(summary.failure?.code == "sync.unreachable")
        let progress = try await kiosk.progress(of: remote)
        #expect(progress.pending == 2)
        #expect(progress.failed == 2)
        try server.start()
        try await kiosk.library.retryFailed(for: remote)
        #expect(
            try await kiosk.sync(with: remote, configuration: server.configuration).verified == 5)
    }

    @Test("nothing is written below the mount point of a disk that is not there")
    func missingDisk() async throws {
        let kiosk = try await Kiosk()
        _ = try await kiosk.take(1)
        let table = try kiosk.folder.write(
            "LABEL=photos \(kiosk.remoteFolder) ext4 nofail 0 2\n".utf8, to: "fstab")
        let summary = try await kiosk.sync(mountTable: table)
        #expect(summary.failure?.code == "sync.waitingForDisk")
        #expect(try kiosk.files().isEmpty)
        #expect(try await kiosk.sync().verified == 3)
    }

    @Test("a check finds what is missing or differs, and a pass sends it again")
    func check() async throws {
        let kiosk = try await Kiosk()
        _ = try await kiosk.take(3)
        _ = try await kiosk.sync()
        #expect(try await kiosk.check().isEmpty)
        let files = try kiosk.files().filter { $0.hasPrefix("kiosk/originals/") }.sorted()
        try FileManager.default.removeItem(atPath: "\(kiosk.remoteFolder)/\(files[0])")
        let other = URL(filePath: "\(kiosk.remoteFolder)/\(files[1])")
        var content = try Data(contentsOf: other)
        content[1000] ^= 1
        try content.write(to: other)
        #expect(
            try await kiosk.check() == [
                String(files[0].dropFirst(6)): "sync.absent",
                String(files[1].dropFirst(6)): "sync.differs",
            ])
        #expect(try await kiosk.progress().pending == 2)
        try await kiosk.library.retryFailed(for: kiosk.remote)
        #expect(try await kiosk.sync().verified == 2)
        #expect(try await kiosk.progress().pending == 0)
        #expect(try await kiosk.check().isEmpty)
    }

    @Test("the delay after a failure is random, grows, and has a limit")
    func backoff() {
        var generator = Seeded(7)
        for attempts in 1...12 {
            let limit = min(3600, 30 << (attempts - 1))
            let delays = (0..<1000).map { _ in
                Backoff.standard.delay(attempts: attempts, using: &generator)
            }
            #expect(delays.allSatisfy { (1...limit).contains($0) })
            let mean = delays.reduce(0, +) / delays.count
            #expect(abs(mean - limit / 2) < limit / 8)
        }
    }
}
