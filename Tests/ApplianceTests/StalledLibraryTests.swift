// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Foundation
import Library
import LibraryService
import LinuxIO
import Synchronization
import Testing
import TestSupport

@Suite("library supervisor on a stalled medium", .timeLimit(.common))
struct StalledLibraryTests {
    private let folder: TemporaryFolder
    private let space = Space()
    private let heard = Heard()
    private let clock = SilenceClock()
    private let root: String
    /// A patience in which no request with an answer is given up, by either clock.
    private static let patience = Duration.seconds(60)
    /// A patience in which no request to a medium that hangs is answered.
    private static let shortPatience = Duration.milliseconds(500)
    private static let longSilence = patience * 4
    private static let longestSilence = patience * 10

    init() throws {
        folder = try TemporaryFolder()
        root = folder.path(of: "root")
    }

    private func keeper(
        patience: Duration = Self.patience,
        salvage: @escaping LibrarySupervisor.Salvage = { _ in nil },
        open: @escaping @Sendable () async throws(LibraryError) -> AssetLibrary
    ) -> LibrarySupervisor {
        LibrarySupervisor(
            path: root, patience: patience, probeDelay: {}, now: { [clock] in clock.now },
            report: { [heard] in heard.hear($0) }, salvage: salvage, open: open)
    }

    /// Returns a supervisor whose library asks for free space whenever it takes a photo.
    private func keeper(patience: Duration = Self.patience) -> LibrarySupervisor {
        keeper(
            patience: patience,
            open: { [space, root] () async throws(LibraryError) in
                try await AssetLibrary.open(at: root, reserveMegabytes: 100) {
                    _ throws(SystemCallError) in try space.answer()
                }
            })
    }

    /// Returns a supervisor that takes photos, and the task that lets it look.
    private func workingKeeper(
        patience: Duration = Self.patience
    ) async throws -> (LibrarySupervisor, Task<Void, Never>) {
        let keeper = keeper(patience: patience)
        await keeper.start()
        let watching = watch(keeper)
        try await waitUntil { await keeper.works }
        return (keeper, watching)
    }

    /// Makes the medium hang for the next request. The supervisor has noted all answers by then,
    /// because a later one would end the silence.
    ///
    /// - Returns: the task that replaces `watching`.
    private func hang(
        _ keeper: LibrarySupervisor, _ watching: Task<Void, Never>
    ) async throws -> Task<Void, Never> {
        watching.cancel()
        await watching.value
        try await waitUntil { await keeper.isIdle }
        space.hang()
        return watch(keeper)
    }

    @Test("an opening that hangs keeps nobody waiting, and is used once it answers")
    func opening() async throws {
        let keeper = keeper(
            patience: Self.shortPatience,
            open: { [space, root] () async throws(LibraryError) in
                let library = try await AssetLibrary.open(at: root)
                try await library.answer(of: space)
                return library
            })
        space.hang()
        await keeper.start()
        #expect(heard.all == [["library.stalled: no photos"]])
        let watching = watch(keeper)
        defer { watching.cancel() }
        space.goOn()
        try await waitUntil { await keeper.works }
        _ = try await keeper.add(photo())
        await keeper.close()
    }

    @Test("a stalled library is a problem until it answers; status does not wait for it")
    func status() async throws {
        let (keeper, first) = try await workingKeeper(patience: Self.shortPatience)
        _ = try await keeper.add(photo())
        try await waitUntil { await keeper.status().photos == 1 }
        let watching = try await hang(keeper, first)
        defer { watching.cancel() }
        try await waitUntil { space.isHanging }
        clock.advance(by: Self.shortPatience * 4)
        try await waitUntil { heard.has("library.stalled: no photos") }
        for _ in 0..<3 {
            let status = await keeper.status()
            #expect(status.degraded && status.photos == 1)
        }
        space.goOn()
        try await waitUntil { await keeper.works }
        _ = try await keeper.add(photo())
        await keeper.close()
    }

    @Test("a late answer to a photo ends the problem without another look")
    func stuttering() async throws {
        let (keeper, first) = try await workingKeeper()
        let watching = try await hang(keeper, first)
        let adding = Task { try await keeper.add(photo()) }
        try await waitUntil { space.isHanging }
        clock.advance(by: Self.longSilence)
        try await waitUntil { heard.has("library.stalled: no photos") }
        watching.cancel()
        await watching.value
        space.goOn()
        _ = try await adding.value
        #expect(await keeper.works)
        await keeper.close()
    }

    @Test("photos that wait long for their turn on a slow medium are stored")
    func slow() async throws {
        let looks = Atomic<Int>(0)
        let isSlow = Atomic<Bool>(false)
        let keeper = keeper(open: { [root, clock] () async throws(LibraryError) in
            try await AssetLibrary.open(at: root, reserveMegabytes: 0) {
                _ throws(SystemCallError) in
                guard isSlow.load(ordering: .acquiring) else { return .max }
                clock.advance(by: Self.patience / 5)
                // Waits until the supervisor has noted the answer before this one, and has looked.
                let last = looks.load(ordering: .acquiring)
                while looks.load(ordering: .acquiring) < last + 2,
                    isSlow.load(ordering: .acquiring)
                { usleep(100) }
                return .max
            }
        })
        await keeper.start()
        let watching = Task {
            while !Task.isCancelled {
                await keeper.look()
                looks.add(1, ordering: .releasing)
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { watching.cancel() }
        try await waitUntil { await keeper.works }
        let start = clock.now
        isSlow.store(true, ordering: .releasing)
        defer { isSlow.store(false, ordering: .releasing) }
        try await withThrowingTaskGroup { group in
            for _ in 0..<60 { group.addTask { _ = try await keeper.add(photo()) } }
            try await group.waitForAll()
        }
        // The photos took longer than one silence may last.
        #expect(.nanoseconds(clock.now - start) > Self.longestSilence)
        isSlow.store(false, ordering: .releasing)
        await keeper.close()
    }

    @Test("photos of a stalled medium are given up, and the library reopens when it answers")
    func sameMedium() async throws {
        let (keeper, first) = try await workingKeeper()
        let watching = try await giveUp(photos: 1, of: keeper, first)
        defer { watching.cancel() }
        #expect(heard.has("library.stalled"))
        space.goOn()
        try await waitUntil { await keeper.works }
        _ = try await keeper.add(photo())
        await keeper.close()
        // The folder is free.
        let again = try await AssetLibrary.open(at: root)
        await again.close()
    }

    /// Makes the medium hang until the photos are given up, and returns the task that lets the
    /// supervisor look.
    private func giveUp(
        photos: Int, of keeper: LibrarySupervisor, _ first: Task<Void, Never>
    ) async throws -> Task<Void, Never> {
        let watching = try await hang(keeper, first)
        try await withThrowingTaskGroup { group in
            for _ in 0..<photos {
                group.addTask {
                    await #expect { try await keeper.add(photo()) } throws: {
                        ($0 as? LibraryError)?.code == .stalled
                    }
                }
            }
            // The look waits for an answer as well.
            try await waitUntil { await keeper.openQuestions == photos + 1 }
            clock.advance(by: Self.longestSilence)
            try await group.waitForAll()
        }
        return watching
    }

    @Test("another medium in the place of a stalled one takes photos", arguments: [1, 20])
    func anotherMedium(presses: Int) async throws {
        let (keeper, first) = try await workingKeeper()
        let watching = try await giveUp(photos: presses, of: keeper, first)
        defer { watching.cancel() }
        let aside = folder.path(of: "aside")
        try FileManager.default.moveItem(atPath: root, toPath: aside)
        try await waitUntil { await keeper.works }
        _ = try await keeper.add(photo())
        #expect(try await keeper.opened().statistics().photos == 1)
        // The stalled medium's folder is free as soon as the medium has answered.
        space.goOn()
        var library: AssetLibrary?
        try await waitUntil {
            library = try? await AssetLibrary.open(at: aside)
            return library != nil
        }
        await library?.close()
        await keeper.close()
    }

    @Test("a medium that is plugged in is tried even after many failed openings")
    func tooOften() async throws {
        let hanging = Mutex(Hanging())
        let keeper = keeper(
            patience: Self.shortPatience,
            open: { [root] () async throws(LibraryError) in
                let isReplaced = hanging.withLock { state in
                    state.begun += 1
                    return state.isReplaced
                }
                if !isReplaced { try? await Task.sleep(for: .seconds(3600)) }
                return try await AssetLibrary.open(at: root)
            })
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        for count in 1...8 {
            try await waitUntil { hanging.withLock { $0.begun == count } }
            clock.advance(by: Self.shortPatience * 10)
        }
        hanging.withLock { $0.isReplaced = true }
        try await waitUntil {
            await keeper.mediumChanged()
            return await keeper.works
        }
        await keeper.close()
    }

    @Test("a repair by an opening that was given up is reported")
    func lateSalvage() async throws {
        let filled = try await AssetLibrary.open(at: root)
        _ = try await filled.add(photo())
        _ = try await filled.takeSnapshot()
        await filled.close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: root + "/library.sqlite" + suffix)
        }
        let hanging = Mutex(Hanging())
        let keeper = keeper(
            patience: Self.shortPatience,
            open: { [space, root] () async throws(LibraryError) in
                hanging.withLock { $0.begun += 1 }
                let library = try await AssetLibrary.open(at: root)
                try await library.answer(of: space)
                return library
            })
        space.hang()
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        try await waitUntil { space.isHanging }
        clock.advance(by: Self.shortPatience * 10)
        // The first opening was given up.
        try await waitUntil { hanging.withLock { $0.begun > 1 } }
        space.goOn()
        try await waitUntil { await keeper.works }
        #expect(heard.has("library.restored"))
        await keeper.close()
    }

    @Test("a repair that does not end is given up, and the library is opened again")
    func salvaging() async throws {
        let isRepairing = Atomic<Bool>(false)
        let keeper = keeper(
            salvage: { _ in
                // The next repair, which the supervisor begins by itself, ends.
                if !isRepairing.exchange(true, ordering: .acquiringAndReleasing) {
                    try? await Task.sleep(for: .seconds(3600))
                }
                return nil
            },
            open: { [root] () async throws(LibraryError) in
                try await AssetLibrary.open(at: root)
            })
        await keeper.start()
        let watching = watch(keeper)
        defer { watching.cancel() }
        try await waitUntil { await keeper.works }
        let repair = Task { try await keeper.salvage() }
        try await waitUntil { isRepairing.load(ordering: .acquiring) }
        // A repair may take ten times as long as another request.
        clock.advance(by: Self.longestSilence * 10)
        await #expect { try await repair.value } throws: {
            ($0 as? LibraryError)?.code == .stalled
        }
        try await waitUntil { await keeper.works }
        await keeper.close()
    }

    @Test("a stalled supervisor can be closed, and the next one reports why it waits")
    func closing() async throws {
        let (first, looking) = try await workingKeeper(patience: Self.shortPatience)
        let watching = try await hang(first, looking)
        defer { watching.cancel() }
        try await waitUntil { space.isHanging }
        clock.advance(by: Self.shortPatience * 4)
        try await waitUntil { heard.has("library.stalled") }
        await first.close()
        let second = keeper(patience: Self.shortPatience)
        await second.start()
        #expect(heard.has("library.stalled"))
        space.goOn()
        let watchingSecond = watch(second)
        defer { watchingSecond.cancel() }
        try await waitUntil {
            // The supervisor asks again when its patience has passed. While it asks, passing time
            // would count as silence.
            if await second.isIdle { clock.advance(by: Self.shortPatience) }
            return await second.works
        }
        _ = try await second.add(photo())
        await second.close()
    }
}

/// The state of the openings.
private struct Hanging {
    var begun = 0
    /// Whether openings from now on are answered.
    var isReplaced = false
}

extension LibrarySupervisor {
    fileprivate var works: Bool { get async { await !status().degraded } }
}

extension AssetLibrary {
    /// Asks for the free space on the library's own thread.
    fileprivate func answer(of space: Space) throws(LibraryError) {
        do {
            _ = try space.answer()
        } catch {
            throw LibraryError(.io, "\(error)", underlying: error)
        }
    }
}
