// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Foundation
import Library
import LibraryService
import LinuxIO
import Testing
import TestSupport

@Suite("library supervisor", .timeLimit(.common))
struct LibrarySupervisorTests {
    private let folder: TemporaryFolder
    private let space = Space()
    private let reserve: Int64 = 100 << 20
    private let heard = Heard()

    init() throws { folder = try TemporaryFolder() }

    private func keeper(
        probeDelay: @escaping @Sendable () async -> Void = {}
    ) -> LibrarySupervisor {
        let root = folder.path(of: "root")
        return LibrarySupervisor(
            path: root, patience: .seconds(3600), probeDelay: probeDelay,
            report: { [heard] in heard.hear($0) },
            open: { [space] () async throws(LibraryError) in
                try await AssetLibrary.open(at: root, reserveMegabytes: 100) {
                    _ throws(SystemCallError) in try space.answer()
                }
            })
    }

    @Test("a full library takes photos again once there is clearly more room")
    func fullAndBack() async throws {
        space.set(reserve - 1)
        let keeper = keeper()
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        #expect(heard.all == [["library.full: no photos"]])
        space.set(reserve + (8 << 20))
        try await space.asked(times: 4)
        #expect(heard.all.count == 1, "8 MiB above the reserve is the edge")
        space.set(reserve + (16 << 20))
        try await heard.waits(for: 2)
        #expect(heard.all.last == [])
        _ = try await keeper.add(photo())
        await keeper.close()
    }

    @Test("room for photos but not for a clip is a problem of its own")
    func lowForClips() async throws {
        space.set(reserve + (17 << 20))
        let keeper = keeper()
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        #expect(heard.all == [])
        space.set(reserve + (15 << 20))
        try await heard.waits(for: 1)
        #expect(heard.all.last == ["library.low"])
        _ = try await keeper.add(photo())
        space.set(reserve - 1)
        try await heard.waits(for: 2)
        #expect(heard.all.last == ["library.full: no photos"])
        space.set(reserve + (17 << 20))
        try await heard.waits(for: 3)
        #expect(heard.all.last == ["library.low"], "1 MiB more than needed is the edge")
        space.set(reserve + (21 << 20))
        try await heard.waits(for: 4)
        #expect(heard.all.last == [])
        await keeper.close()
    }

    @Test("the database is copied once, some time after the start")
    func snapshot() async throws {
        let root = folder.path(of: "root")
        let began = Clock.monotonic
        let keeper = LibrarySupervisor(
            path: root, patience: .seconds(3600), firstSnapshot: .milliseconds(300),
            report: { _ in },
            open: { () async throws(LibraryError) in try await AssetLibrary.open(at: root) })
        await keeper.start()
        _ = try await keeper.add(photo())
        func copies() -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: root + "/snapshots")) ?? [])
                .filter { !$0.contains(".part") }
        }
        let watching = watch(keeper)
        defer { watching.cancel() }
        try await waitUntil { !copies().isEmpty }
        #expect(Clock.monotonic - began >= 300_000_000)
        let first = copies()
        try await Task.sleep(for: .milliseconds(700))
        #expect(copies() == first)
        await keeper.close()
    }

    @Test("a failed library is opened again when its medium is back")
    func failedAndBack() async throws {
        space.set(.max)
        let keeper = keeper()
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        _ = try await keeper.add(photo())
        let originals = folder.path(of: "root/originals")
        try FileManager.default.moveItem(atPath: originals, toPath: folder.path(of: "aside"))
        try Data().write(to: URL(filePath: originals))
        await #expect(throws: LibraryError.self) { try await keeper.add(photo()) }
        #expect(heard.all.last?.isEmpty == false)
        try FileManager.default.removeItem(atPath: originals)
        try FileManager.default.moveItem(atPath: folder.path(of: "aside"), toPath: originals)
        try await waitUntil { heard.all.last == [] }
        _ = try await keeper.add(photo())
        #expect(try await keeper.opened().statistics().photos == 2)
        await keeper.close()
    }

    @Test("a disk that fills up is a problem even without a photo")
    func fillsUp() async throws {
        let keeper = keeper()
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        try await space.asked(times: 3)
        #expect(heard.all == [])
        space.set(reserve - 1)
        try await heard.waits(for: 1)
        #expect(heard.all == [["library.full: no photos"]])
        space.set(1 << 40)
        try await heard.waits(for: 2)
        #expect(heard.all.last == [])
        await keeper.close()
    }

    @Test("another disk in the library's place is opened without a photo")
    func replacedDisk() async throws {
        let keeper = keeper()
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        _ = try await keeper.add(photo())
        try FileManager.default.moveItem(
            atPath: folder.path(of: "root"), toPath: folder.path(of: "unplugged"))
        try await heard.waits(for: 2)
        #expect(heard.all == [["library.readonly: no photos"], []])
        #expect(try await keeper.opened().statistics().photos == 0)
        _ = try await keeper.add(photo())
        try FileManager.default.removeItem(atPath: folder.path(of: "root"))
        try FileManager.default.moveItem(
            atPath: folder.path(of: "unplugged"), toPath: folder.path(of: "root"))
        try await heard.waits(for: 4)
        #expect(try await keeper.opened().statistics().photos == 1)
        await keeper.close()
    }

    @Test("a medium that accepts no file is found when a disk has come or gone")
    func probed() async throws {
        let keeper = keeper()
        await keeper.start()
        await keeper.mediumChanged()
        #expect(heard.all == [])
        #expect(await keeper.status().degraded == false)
        // The folder is in the way of the probe's file, so only making that file finds the problem.
        let obstacle = folder.path(of: "root/incoming/probe.part")
        try FileManager.default.createDirectory(
            atPath: obstacle, withIntermediateDirectories: false)
        await keeper.mediumChanged()
        #expect(heard.all == [["library.readonly: no photos"]])
        #expect(await keeper.status().degraded == true)
        let watching = watch(keeper)
        defer { watching.cancel() }
        try FileManager.default.removeItem(atPath: obstacle)
        try await heard.waits(for: 2)
        #expect(heard.all.last == [])
        #expect(await keeper.status().degraded == false)
        await keeper.close()
    }

    @Test("only a doubtful look finds a medium that accepts no file")
    func doubted() async throws {
        let keeper = keeper()
        await keeper.start()
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "root/incoming/probe.part"), withIntermediateDirectories: false)
        // Each look waits for the one before it.
        for isDoubtful in [false, false, true] {
            #expect(heard.all == [])
            try await waitUntil { await keeper.look(isDoubtful: isDoubtful) }
        }
        try await heard.waits(for: 1)
        #expect(heard.all == [["library.readonly: no photos"]])
        await keeper.close()
    }

    @Test("the events of a disk's partitions cause one look")
    func probedOnce() async throws {
        let (delay, end) = AsyncStream.makeStream(of: Void.self)
        let keeper = keeper { for await _ in delay { break } }
        await keeper.start()
        let before = space.asked
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { await keeper.mediumChanged() } }
            for _ in 0..<4 { await group.next() }
            #expect(space.asked == before)
            end.yield()
        }
        #expect(space.asked == before + 1)
        // Control: a later event causes another look.
        end.yield()
        await keeper.mediumChanged()
        #expect(space.asked == before + 2)
        await keeper.close()
    }

    @Test("a disk without room for one more photo is full before the next press")
    func nearlyFull() async throws {
        // The answers are those at the start, for the photo and after it.
        space.set(reserve + 60_000, reserve + 60_000, reserve + 10_000)
        let keeper = keeper()
        await keeper.start()
        #expect(heard.all == [["library.low"]])
        _ = try await keeper.add(photo())
        #expect(heard.all == [["library.low"], ["library.full: no photos"]])
        await keeper.close()
    }

    @Test(
        "a refused photo is a problem until the library takes photos again",
        arguments: [
            (EIO, "library.readonly"), (EACCES, "library.denied"), (ENOENT, "library.missing"),
            (EROFS, "library.readonly"), (EDQUOT, "library.full"), (EMFILE, "library.exhausted"),
        ])
    func refusedOnce(_ reason: CInt, _ code: String) async throws {
        let keeper = keeper()
        await keeper.start()
        space.fail(reason)
        await #expect(throws: LibraryError.self) { try await keeper.add(photo()) }
        // The looks begin only here, because an earlier one would have met the failure.
        let watching = watch(keeper)
        defer { watching.cancel() }
        try await heard.waits(for: 2)
        #expect(heard.all == [["\(code): no photos"], []])
        _ = try await keeper.add(photo())
        await keeper.close()
    }

    @Test("a photo that cannot be stored as it is causes no problem of the library")
    func invalidPhoto() async throws {
        let keeper = keeper()
        await keeper.start()
        var empty = photo()
        empty.chunks = []
        let refused = empty
        await #expect(throws: LibraryError.self) { try await keeper.add(refused) }
        #expect(heard.all == [])
        await keeper.close()
    }

    @Test("missing files are a lasting problem that does not prevent photos")
    func incomplete() async throws {
        let first = keeper()
        await first.start()
        let asset = try await first.add(photo())
        try FileManager.default.removeItem(
            atPath: try await first.opened().resource(id: asset.id.uuidString).path)
        await first.close()
        #expect(heard.all == [])
        let second = keeper()
        await second.start()
        let watching = watch(second)
        defer { watching.cancel() }
        #expect(heard.all == [["library.incomplete"]])
        space.set(reserve - 1)
        _ = try? await second.add(photo())
        #expect(heard.all.last == ["library.full: no photos", "library.incomplete"])
        space.set(1 << 40)
        try await heard.waits(for: 3)
        #expect(heard.all.last == ["library.incomplete"])
        await second.close()
    }

    @Test("expired assets are deleted automatically, and photos are stored meanwhile")
    func retention() async throws {
        let root = folder.path(of: "root")
        let filled = try await AssetLibrary.open(at: root, reserveMegabytes: 0)
        for _ in 0..<5 { try await filled.add(photo()) }
        await filled.close()
        let keeper = LibrarySupervisor(
            path: root, retention: RetentionPolicy(mostAssets: 2, requiresSync: false),
            patience: .seconds(60), report: { [heard] in heard.hear($0) },
            open: { () async throws(LibraryError) in
                try await AssetLibrary.open(at: root, reserveMegabytes: 0)
            })
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        try await waitUntil { await keeper.status().assets <= 2 }
        // Photos that come during the deletion would count as well.
        try await waitUntil { await !keeper.isLettingGo }
        // The rules are applied once an hour, so these photos stay.
        for _ in 0..<3 { _ = try await keeper.add(photo()) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(await keeper.status().assets == 5)
        #expect(heard.all.joined().isEmpty)
        await keeper.close()
    }

    /// Overwrites a page of the closed library in `root`.
    private func damage(_ root: String, page: UInt64) throws {
        let handle = try FileHandle(
            forWritingTo: URL(fileURLWithPath: root + "/library.sqlite"))
        try handle.seek(toOffset: (page - 1) * 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try handle.close()
    }

    @Test(
        "a damaged database is replaced by its snapshot, with a problem that says so",
        arguments: [1, 3])
    func damaged(page: UInt64) async throws {
        let root = folder.path(of: "root")
        let filled = try await AssetLibrary.open(at: root, reserveMegabytes: 0)
        for _ in 0..<3 { try await filled.add(photo()) }
        _ = try await filled.takeSnapshot()
        try await filled.add(photo())
        await filled.close()
        try damage(root, page: page)
        let keeper = LibrarySupervisor(
            path: root, patience: .seconds(60), firstSnapshot: .zero,
            report: { [heard] in heard.hear($0) },
            open: { () async throws(LibraryError) in
                try await AssetLibrary.open(at: root, reserveMegabytes: 0)
            })
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        try await waitUntil { heard.all.last == ["library.restored"] }
        try await waitUntil { await keeper.status().assets >= 4 }
        _ = try await keeper.add(photo())
        #expect(try await keeper.opened().verify(deep: true).findings.isEmpty)
        await keeper.close()
    }

    @Test("two requests for the status at the same time both get the counts")
    func numbers() async throws {
        let keeper = keeper()
        await keeper.start()
        _ = try await keeper.add(photo())
        async let first = keeper.status()
        async let second = keeper.status()
        let numbers = await (first.photos, second.photos)
        #expect(numbers == (1, 1))
        await keeper.close()
    }

    @Test("a supervisor that is closed while it opens the library leaves it free")
    func closedWhileOpening() async throws {
        let keeper = keeper()
        async let starting: Void = keeper.start()
        await keeper.close()
        await starting
        let again = try await AssetLibrary.open(at: folder.path(of: "root"))
        await again.close()
    }
}
