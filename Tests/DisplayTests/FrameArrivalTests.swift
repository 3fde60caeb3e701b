// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Glibc
import LinuxIO
import Media
import Simulation
import Synchronization
import TestSupport
import Testing

/// Frames arrive on the camera's thread, which commits them itself if that is cheap.
@Suite("Screen: frames that arrive", .timeLimit(.common))
struct FrameArrivalTests {
    private static let size = Dimensions(width: 64, height: 48)

    /// A camera's thread, which puts one free frame per interval until it is ended.
    private final class Camera: Sendable {
        let pool: FramePool
        let identifier = Atomic<pthread_t>(0)
        private let isEnding = Atomic<Bool>(false)
        private let thread = Mutex<NamedThread?>(nil)

        /// - Parameter script: The script of a display that shows the pool's own memory. It checks
        ///   that no returned frame is still shown.
        init(
            _ pool: FramePool, into frames: FrameHandoff, everyMilliseconds interval: UInt32,
            watchedBy script: ScreenScript? = nil
        ) {
            self.pool = pool
            let thread = NamedThread("test camera") { [self] in
                identifier.store(pthread_self(), ordering: .releasing)
                var free: UInt64 = (1 << UInt64(pool.slots.count)) - 1
                while !isEnding.load(ordering: .acquiring) {
                    let returned = pool.takeReturned(starving: false)
                    script?.returned(returned)
                    free |= returned
                    if free != 0 {
                        put(pool, free.trailingZeroBitCount, into: frames)
                        free &= free - 1
                    }
                    usleep(interval * 1000)
                }
                frames.clear()
                while free != (1 << UInt64(pool.slots.count)) - 1 {
                    usleep(2000)
                    free |= pool.takeReturned(starving: false)
                }
            }
            self.thread.withLock { $0 = thread }
        }

        /// Ends the thread, and returns once all frames have come back.
        func end() async {
            isEnding.store(true, ordering: .releasing)
            await thread.withLock { $0 }?.join()
        }
    }

    @Test(
        "the camera's thread commits a frame only if the frame's own memory is shown",
        arguments: [true, false])
    func committer(isScannedOut: Bool) async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(
            pool, frames: frames, by: isScannedOut ? .exported : .mapped, layout: VideoLayout())
        // Frames are slower than the display, so the previous frame's flip is done.
        let camera = Camera(pool, into: frames, everyMilliseconds: 40, watchedBy: script)
        try await waitUntil { screen.statistics.framesShown >= 30 }
        screen.disconnect()
        await camera.end()
        await screen.close()
        let thread = camera.identifier.load(ordering: .acquiring)
        let pictures = script.commits.filter { $0.video != nil }
        let own = pictures.count { $0.thread == thread }
        // The display's thread commits a frame if it is at work just then.
        #expect(isScannedOut ? own > 0 : own == 0, "\(own) of \(pictures.count)")
        #expect(script.faults == [])
    }

    @Test(
        "flips of slow frames are announced once a second, those of fast frames always",
        arguments: [40, 5])
    func announced(interval: UInt32) async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        let camera = Camera(pool, into: frames, everyMilliseconds: interval, watchedBy: script)
        try await waitUntil { screen.statistics.framesShown >= 60 }
        screen.disconnect()
        await camera.end()
        await screen.close()
        let commits = script.commits
        let refreshInterval = try MemoryScreen(size: Self.size, hasOverlay: true).refreshInterval
        var (timed, unannounced) = (0, 0)
        for (commit, next) in zip(commits, commits.dropFirst()) where commit.isFlip {
            let gap = next.previousTime - commit.previousTime
            let isSlow = gap * 2 >= refreshInterval * 3
            #expect(isSlow || commit.isAnnounced, "\(gap) ns after the commit before")
            if isSlow && commit.isAnnounced { timed += 1 }
            if !commit.isAnnounced { unannounced += 1 }
        }
        let duration = (commits.last?.previousTime ?? 0) - (commits.first?.previousTime ?? 0)
        #expect(timed <= duration / 1_000_000_000 + 2, "\(timed) in \(duration) ns")
        // The control: there are slow flips, and some of them are timed.
        #expect(interval == 5 || unannounced > 0 && timed > 0)
        #expect(script.faults == [])
    }

    @Test("a frame, text or end right after an unannounced flip waits for the refresh")
    func early() async throws {
        let script = ScreenScript(Self.size)
        let camera = try Frames(script)
        var turn = 0
        func show() async throws {
            turn += 1
            try await camera.show(turn)
        }
        func showUnannounced() async throws {
            repeat {
                try await Task.sleep(for: .milliseconds(40))
                try await show()
            } while script.commits.last?.isAnnounced != false
        }
        try await showUnannounced()
        try await show()
        try await showUnannounced()
        camera.screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        try await showUnannounced()
        camera.screen.disconnect()
        script.returned(camera.pool.takeReturned(starving: false))
        #expect(script.commits.last?.video == nil)
        #expect(script.faults == [])
        #expect(script.opened == 1)
        await camera.screen.close()
    }

    @Test("frames, overlays, rescans and changing streams do not disturb each other")
    func together() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        let camera = Camera(pool, into: frames, everyMilliseconds: 2)
        let (first, second) = (try plain(0x204060, Self.size), try plain(0x604020, Self.size))
        for round in 0..<20 {
            _ = try screen.connect(
                pool, frames: frames, by: round % 4 == 3 ? .mapped : .exported,
                layout: VideoLayout(orientation: round % 2 == 1 ? .mirrored : .upright))
            screen.setOverlay(round % 3 == 0 ? nil : first)
            let shown = screen.statistics.framesShown
            try await waitUntil { screen.statistics.framesShown > shown + 3 }
            screen.setOverlay(second)
            screen.rescan()
            #expect(try await color(screen, x: 5, y: 5) == 0x604020)
            if round % 5 == 4 { screen.disconnect() }
        }
        screen.disconnect()
        await camera.end()
        await screen.close()
        #expect(script.faults == [])
        #expect(script.opened == 1)
    }

    @Test("a display that is briefly busy loses frames, and is not opened again")
    func busyForAMoment() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        let camera = Camera(pool, into: frames, everyMilliseconds: 20)
        try await waitUntil { screen.statistics.framesShown >= 5 }
        script.refuse(EBUSY) { $0.count == 3 }
        try await waitUntil { script.with { $0.refusedCommits.count } == 3 }
        let shown = screen.statistics.framesShown
        try await waitUntil { screen.statistics.framesShown > shown + 5 }
        #expect(script.opened == 1)
        screen.disconnect()
        await camera.end()
        await screen.close()
        #expect(script.faults == [])
    }

    /// A stream whose frames differ in colour, shown one by one.
    private struct Frames {
        let script: ScreenScript
        let screen: Screen
        let frames: FrameHandoff
        let pool: FramePool

        init(_ script: ScreenScript) throws {
            self.script = script
            (screen, frames) = try script.start()
            pool = try DisplayTests.pool(.xrgb, size)
            _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
            for index in 0..<6 { try paint(pool, index, UInt8(0x10 * (index + 1))) }
        }

        static func pixel(_ number: Int) -> UInt32 { 0x1010_1010 * UInt32(number % 6 + 1) }

        /// Puts a frame. All earlier frames but the last three have come back by then.
        func put(_ number: Int) {
            script.returned(pool.takeReturned(starving: false))
            DisplayTests.put(pool, number % 6, into: frames)
        }

        func show(_ number: Int) async throws {
            put(number)
            try await waitUntil { script.commits.last?.video == Self.pixel(number) }
        }

        func show(_ numbers: Range<Int>) async throws {
            for number in numbers {
                try await show(number)
                // This is slower than the display.
                try await Task.sleep(for: .milliseconds(40))
            }
        }
    }

    @Test("a frame or overlay that is refused briefly is shown soon, without another event")
    func owed() async throws {
        let script = ScreenScript(Self.size)
        let camera = try Frames(script)
        try await camera.show(0..<10)
        script.refuse(EBUSY) { $0.count == 5 }
        camera.put(10)
        try await waitUntil { script.commits.last?.video == Frames.pixel(10) }
        #expect(script.with { $0.refusedCommits.count } == 5)
        script.refuse(EBUSY) { $0.count == 5 }
        camera.screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        #expect(script.with { $0.refusedCommits.count } == 5)
        // The display was not opened again for it.
        #expect(script.opened == 1)
        camera.screen.disconnect()
        await camera.screen.close()
        #expect(script.faults == [])
    }

    @Test("a display that needs full commits shows every frame")
    func withoutFlips() async throws {
        let script = ScreenScript(Self.size)
        script.with { $0.knowsNoFlips = true }
        let camera = try Frames(script)
        try await camera.show(0..<12)
        camera.screen.disconnect()
        await camera.screen.close()
        #expect(script.commits.allSatisfy { !$0.isFlip })
        #expect(script.faults == [] && script.opened == 1)
    }

    @Test("a frame that was refused is not shown after its camera has gone")
    func refusedAndGone() async throws {
        let script = ScreenScript(Self.size)
        let camera = try Frames(script)
        try await camera.show(0..<5)
        // The black picture that replaces the video is refused as well, once.
        script.refuse(EBUSY) { $0.last?.video == nil }
        camera.put(5)
        try await waitUntil { script.with { !$0.refusedCommits.isEmpty } }
        let end = NamedThread("test end") { camera.screen.disconnect() }
        await end.join()
        #expect(script.with { $0.refusedCommits.last?.video } == .some(nil))
        script.returned(camera.pool.takeReturned(starving: false))
        #expect(!script.commits.contains { $0.video == Frames.pixel(5) })
        #expect(script.commits.last?.video == nil)
        await camera.screen.close()
        #expect(script.faults == [] && script.opened == 1)
    }

    @Test("a display that refuses frames on the camera's thread is reopened by its own")
    func refused() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        guard case .ready = await events.next() else { return _ = Issue.record("no display") }
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        let camera = Camera(pool, into: frames, everyMilliseconds: 2)
        try await waitUntil { screen.statistics.framesShown >= 5 }
        script.with { $0.refusal = EACCES }
        guard case .lost = await events.next() else { return _ = Issue.record("not lost") }
        script.with { $0.refusal = nil }
        screen.rescan()
        guard case .ready = await events.next() else { return _ = Issue.record("not back") }
        #expect(script.opened == 2)
        await camera.end()
        await screen.close()
    }
}
