// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Media
import Settings
import Sync
import TestSupport
import Testing

/// Tests of edited photos, which a remote may get as a person sees them.
@Suite("renditions", .timeLimit(.common))
struct RenditionTests {
    private static let size = Dimensions(width: 640, height: 480)
    private static let half = AssetAdjustment(
        crop: AssetAdjustment.Crop(x: 0, y: 0, width: 0.5, height: 1))
    private static let quarter = AssetAdjustment(
        crop: AssetAdjustment.Crop(x: 0, y: 0, width: 0.5, height: 0.5), rotation: .quarter)

    private func adjust(
        _ asset: Asset, _ adjustment: AssetAdjustment?, in kiosk: Kiosk
    ) async throws {
        var changes = LibraryChanges()
        changes.change([asset.id], .setAdjustment(adjustment))
        _ = try await kiosk.library.perform(changes)
    }

    private func key(_ asset: Asset) -> String { "renditions/2026/11/22/\(asset.id.text).jpg" }

    /// Returns the size in pixels of a rendition at the remote, as another program reads it; `nil`
    /// if there is none.
    private func arrived(_ asset: Asset, _ kiosk: Kiosk) throws -> String? {
        guard try kiosk.files().contains("kiosk/\(key(asset))") else { return nil }
        let outcome = try Program.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0:s=x",
                "\(kiosk.remoteFolder)/kiosk/\(key(asset))",
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("each edit is sent as a person sees it, and one that is undone follows the policy")
    func edits() async throws {
        let kiosk = try await Kiosk(deletion: .mirror, renditions: true)
        let assets = try await kiosk.take(3, of: Self.size)
        try await adjust(assets[0], Self.half, in: kiosk)
        // Two originals of each asset, the rendition, and the manifest.
        #expect(try await kiosk.sync().verified == 8)
        #expect(try arrived(assets[0], kiosk) == "320x480")
        #expect(try arrived(assets[1], kiosk) == nil)
        let manifest = String(
            decoding: try kiosk.arrived("manifests/2026-11-22.ndjson"), as: UTF8.self)
        #expect(manifest.contains(try kiosk.hash(key(assets[0]))))
        #expect(try await kiosk.check() == [:])

        try await adjust(assets[0], Self.quarter, in: kiosk)
        try await adjust(assets[1], Self.half, in: kiosk)
        #expect(try await kiosk.progress().pendingRecords == 4)
        #expect(try await kiosk.sync().failed == 0)
        #expect(try arrived(assets[0], kiosk) == "240x320")
        #expect(try arrived(assets[1], kiosk) == "320x480")
        // Nothing is made without a change.
        #expect(try await kiosk.sync().verified == 0)

        try await adjust(assets[1], nil, in: kiosk)
        #expect(try await kiosk.sync().removed == 1)
        #expect(try arrived(assets[1], kiosk) == nil)
        #expect(try arrived(assets[0], kiosk) == "240x320")
    }

    @Test("a remote gets none unless it wants them, and then also those of earlier edits")
    func choice() async throws {
        let kiosk = try await Kiosk()
        let assets = try await kiosk.take(2, of: Self.size)
        try await adjust(assets[0], Self.half, in: kiosk)
        _ = try await kiosk.sync()
        #expect(try arrived(assets[0], kiosk) == nil)
        var wanted = SyncSettings()
        wanted.sendsRenditions = true
        _ = try await kiosk.sync(wanted)
        #expect(try arrived(assets[0], kiosk) == "320x480")
        // An edit while nobody wants one makes the earlier rendition wrong.
        _ = try await kiosk.sync()
        try await adjust(assets[0], Self.quarter, in: kiosk)
        _ = try await kiosk.sync()
        _ = try await kiosk.sync(wanted)
        #expect(try arrived(assets[0], kiosk) == "240x320")
    }

    @Test("an original stays until its rendition is there, and is rendered once it is back")
    func eviction() async throws {
        let kiosk = try await Kiosk(renditions: true)
        let asset = try await kiosk.take(1, of: Self.size)[0]
        _ = try await kiosk.sync()
        try await adjust(asset, Self.half, in: kiosk)
        var policy = RetentionPolicy(mostAssets: 0)
        policy.remote = kiosk.remote
        #expect(try await kiosk.library.applyRetention(policy).waitingForSync == 1)
        _ = try await kiosk.sync()
        #expect(try await kiosk.library.applyRetention(policy).evicted == 1)
        // Nothing can be made of an original that is not here, and nothing waits for it.
        try await adjust(asset, Self.quarter, in: kiosk)
        #expect(try await kiosk.sync().failed == 0)
        #expect(try await kiosk.progress().pendingRecords == 0)
        #expect(try arrived(asset, kiosk) == "320x480")
        _ = try await SyncReturner(
            ledger: kiosk.library, remote: kiosk.remote,
            rclone: Rclone(location: kiosk.remote.location, configuration: nil),
            staging: kiosk.folder.path(of: "staging")
        ).bringBack(asset.id.text)
        #expect(try await kiosk.sync().failed == 0)
        #expect(try arrived(asset, kiosk) == "240x320")
    }

    @Test("a photo that cannot be rendered is named, and everything else arrives")
    func damaged() async throws {
        let kiosk = try await Kiosk(renditions: true)
        let broken = try await kiosk.take(1)[0]
        let good = try await kiosk.take(1, of: Self.size)[0]
        for asset in [broken, good] { try await adjust(asset, Self.half, in: kiosk) }
        let summary = try await kiosk.sync()
        // The random delay may be none, so that the same run tries again.
        #expect(summary.failed >= 1 && summary.lastFailure?.code == "sync.damaged")
        #expect(summary.lastFailure?.message.contains(key(broken)) == true)
        #expect(try arrived(good, kiosk) == "320x480")
        #expect(try kiosk.files().count { $0.hasPrefix("kiosk/sidecars/") } == 2)
        #expect(try await kiosk.progress().pending == 0)
    }
}
