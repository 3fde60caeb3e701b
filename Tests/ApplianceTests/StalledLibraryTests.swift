// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import CommandProtocol
import Foundation
import Library
import LinuxIO
import Synchronization
import TestSupport
import Testing

@Suite("the library's keeper, where the medium does not answer", .timeLimit(.common))
struct StalledLibraryTests {
    private let folder: TemporaryFolder
    private let space = Space()
    private let heard = Heard()
    private let clock = SilenceClock()
    private let root: String
    /// In which nobody who has an answer is given up, by either clock.
    private static let patience = Duration.seconds(60)
    /// In which nobody has an answer who waits for a medium that hangs.
    private static let shortPatience = Duration.milliseconds(500)
    private static let longSilence = patience * 4
    private static let longestSilence = patience * 10

    init() throws {
        folder = try TemporaryFolder()
        root = folder.path(of: "root")
    }

    private func keeper(
        patience: Duration = Self.patience,
        salvage: @escaping LibraryKeeper.Salvage = { _ in nil },
        open: @escaping @Sendable () async throws(LibraryError) -> AssetLibrary
    ) -> LibraryKeeper {
        LibraryKeeper(
            path: root, patience: patience, probeDelay: {}, now: { [clock] in clock.now },
            report: { [heard] in heard.hear($0) }, salvage: salvage, open: open)
    }

    /// One whose library asks for room whenever it takes a photo.
    private func keeper(patience: Duration = Self.patience) -> LibraryKeeper {
        keeper(
            patience: patience,
            open: { [space, root] () async throws(LibraryError) in
                try await AssetLibrary.open(at: root, reserveMegabytes: 100) {
                    _ throws(SystemCallError) in try space.answer()
                }
            })
    }

    /// One that is looked after and takes photos.
    private func workingKeeper(
        patience: Duration = Self.patience
    ) async throws -> (LibraryKeeper, Task<Void, Never>) {
        let keeper = keeper(patience: patience)
        await keeper.start()
        let watching = watch(keeper)
        try await waitUntil { await keeper.works }
        return (keeper, watching)
    }

    /// Has the medium hang for the next who asks. The keeper has noted all answers by then: one that it notes later
    /// would end the silence.
    ///
    /// - Returns: who looks from then on, in place of `watching`.
    private func hang(
        _ keeper: LibraryKeeper, _ watching: Task<Void, Never>
    ) async throws -> Task<Void, Never> {
        watching.cancel()
        await watching.value
        try await waitUntil { await keeper.isIdle }
        space.hang()
        return watch(keeper)
    }

    @Test("one that is opened keeps nobody waiting, and is taken when it answers")
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

    @Test("one that stops answering is a problem until it answers, and status does not wait for it")
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

    @Test("a photo that a silent medium takes after all ends the problem, without another look")
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
                // Until the keeper knows of the answer before this one, and has looked.
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
        // For longer than one silence may last.
        #expect(.nanoseconds(clock.now - start) > Self.longestSilence)
        isSlow.store(false, ordering: .releasing)
        await keeper.close()
    }

    @Test("photos are given up in the end, and the library is opened anew when the medium answers")
    func sameMedium() async throws {
        let (keeper, first) = try await workingKeeper()
        let watching = try await giveUp(photos: 1, of: keeper, first)
        defer { watching.cancel() }
        #expect(heard.has("library.stalled"))
        space.goOn()
        try await waitUntil { await keeper.works }
        _ = try await keeper.add(photo())
        await keeper.close()
        // Nobody has the folder.
        let again = try await AssetLibrary.open(at: root)
        await again.close()
    }

    /// The medium hangs, and photos are given up for it.
    private func giveUp(
        photos: Int, of keeper: LibraryKeeper, _ first: Task<Void, Never>
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
            // The look as well.
            try await waitUntil { await keeper.openQuestions == photos + 1 }
            clock.advance(by: Self.longestSilence)
            try await group.waitForAll()
        }
        return watching
    }

    @Test(
        "another medium in the place of one that does not answer takes photos, whatever that was asked",
        arguments: [1, 20])
    func anotherMedium(presses: Int) async throws {
        let (keeper, first) = try await workingKeeper()
        let watching = try await giveUp(photos: presses, of: keeper, first)
        defer { watching.cancel() }
        let aside = folder.path(of: "aside")
        try FileManager.default.moveItem(atPath: root, toPath: aside)
        try await waitUntil { await keeper.works }
        _ = try await keeper.add(photo())
        #expect(try await keeper.opened().statistics().photos == 1)
        // The folder of the other is free as soon as its medium has answered.
        space.goOn()
        var library: AssetLibrary?
        try await waitUntil {
            library = try? await AssetLibrary.open(at: aside)
            return library != nil
        }
        await library?.close()
        await keeper.close()
    }

    @Test(
        "where opening was given up time and again, a medium that is plugged in is tried all the same"
    )
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

    @Test("what is done with the database by an opening that was given up is told")
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
        // The first was given up.
        try await waitUntil { hanging.withLock { $0.begun > 1 } }
        space.goOn()
        try await waitUntil { await keeper.works }
        #expect(heard.has("library.restored"))
        await keeper.close()
    }

    @Test("a repair of the database that does not end is given up, and the library is opened again")
    func salvaging() async throws {
        let isRepairing = Atomic<Bool>(false)
        let keeper = keeper(
            salvage: { _ in
                // The next one, which the keeper begins by itself, ends.
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
        // It may take ten times as long as another question.
        clock.advance(by: Self.longestSilence * 10)
        await #expect { try await repair.value } throws: {
            ($0 as? LibraryError)?.code == .stalled
        }
        try await waitUntil { await keeper.works }
        await keeper.close()
    }

    @Test("a keeper is closed all the same, and the next one says why it has to wait")
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
            // It asks again when its patience has passed; while it asks, that would be silence.
            if await second.isIdle { clock.advance(by: Self.shortPatience) }
            return await second.works
        }
        _ = try await second.add(photo())
        await second.close()
    }
}

/// What has become of openings.
private struct Hanging {
    var begun = 0
    /// What is asked from now on answers.
    var isReplaced = false
}

extension LibraryKeeper {
    fileprivate var works: Bool { get async { await !status().degraded } }
}

extension AssetLibrary {
    /// Asks on the library's own thread.
    fileprivate func answer(of space: Space) throws(LibraryError) {
        do {
            _ = try space.answer()
        } catch {
            throw LibraryError(.io, "\(error)", underlying: error)
        }
    }
}
