// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Imaging
import LinuxIO
import Media
import Synchronization
import Testing

/// What a screen makes of monitors, hardware and cameras that do not do what they did before.
@Suite("Screen: changes and faults", .timeLimit(.minutes(1)))
struct ScreenFaultTests {
    private static let size = Dimensions(width: 64, height: 48)
    private static let small = Dimensions(width: 32, height: 24)

    /// The next event is a display of this size.
    private func expectReady(
        _ size: Dimensions, _ events: inout AsyncStream<Screen.Event>.Iterator
    ) async {
        guard case .ready(_, let mode, size) = await events.next(isolation: #isolation) else {
            Issue.record("expected a display of \(size)")
            return
        }
        #expect(mode == "\(size)@60")
    }

    private func expectLost(
        _ code: DisplayError.Code, _ events: inout AsyncStream<Screen.Event>.Iterator
    ) async {
        guard case .lost(let error) = await events.next(isolation: #isolation) else {
            Issue.record("expected a lost display")
            return
        }
        #expect(error.code == code)
    }

    // MARK: modes

    @Test(
        "a mode that the first compressed frame brings is announced before anything is shown in it")
    func modeOfFirstFrame() async throws {
        let script = ScreenScript(Self.size, Self.small, scales: false)
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        let pool = try compressedPool(Self.small)
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false) == .decoded)
        try putJPEG(pool, 0, Self.small, 0x40, into: frames)
        await expectReady(Self.small, &events)
        screen.setOverlay(try plain(0x604020, Self.small))
        try await waitUntil { script.commits.last?.overlay == 0xff60_4020 }
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(script.commits.last?.screen == Self.small)
        #expect(script.faults == [])
        #expect(script.opened == 1)
        await screen.close()
    }

    @Test("a picture keeps its place while the next stream begins")
    func placeOfOldPicture() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let first = try pool(.xrgb, Self.size)
        _ = try screen.connect(first, frames: frames, by: .exported, isMirrored: false)
        try paint(first, 0, 0x40)
        put(first, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        let second = try pool(.xrgb, Self.small)
        _ = try screen.connect(second, frames: frames, by: .exported, isMirrored: true)
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        let committed = try #require(script.commits.last)
        #expect(committed.video == 0x4040_4040)
        #expect(committed.placement == .whole(Self.size))
        #expect(try await color(screen, x: 5, y: 5) == 0x204060)
        screen.setOverlay(nil)
        #expect(try await color(screen, x: 40, y: 30) == 0x404040)
        await screen.close()
        #expect(script.faults == [])
    }

    @Test("after a change of mode the old picture is not shown again, and is not in use")
    func pictureOfOldMode() async throws {
        let script = ScreenScript(Self.size, Self.small, scales: false)
        let (screen, frames) = try script.start()
        let first = try pool(.xrgb, Self.size)
        _ = try screen.connect(first, frames: frames, by: .exported, isMirrored: false)
        try paint(first, 0, 0x40)
        put(first, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        let second = try pool(.xrgb, Self.small)
        _ = try screen.connect(second, frames: frames, by: .exported, isMirrored: false)
        screen.setOverlay(try plain(0x204060, Self.small))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        #expect(script.commits.last?.video == nil)
        #expect(first.takeReturned(starving: false) == 1)
        #expect(script.faults == [])
        // A camera that fits the monitor's own mode gets it back.
        let third = try pool(.xrgb, Self.size)
        _ = try screen.connect(third, frames: frames, by: .exported, isMirrored: false)
        put(third, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 2 }
        #expect(script.commits.last?.screen == Self.size)
        #expect(script.faults == [])
        await screen.close()
    }

    // MARK: the stream stops

    @Test("without an overlay plane texts are shown also when no frames come any more")
    func suspended() async throws {
        let script = ScreenScript(Self.size, hasOverlay: false)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false)
        try paint(pool, 0, 0x40)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        screen.suspend()
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.video == 0xff20_4060 }
        try await waitUntil { try await color(screen, x: 5, y: 5) == 0x204060 }
        screen.setOverlay(try plain(0x604020, Self.size))
        try await waitUntil { script.commits.last?.video == 0xff60_4020 }
        // A stream begins again.
        _ = try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false)
        screen.setOverlay(nil)
        try paint(pool, 1, 0x80)
        put(pool, 1, into: frames)
        try await waitUntil { script.commits.last?.video.map { $0 & 0xff_ffff } == 0x80_8080 }
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("an overlay of another size is not blended, and costs no frame")
    func otherOverlay() async throws {
        let script = ScreenScript(Self.size, hasOverlay: false)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false)
        screen.setOverlay(try plain(0x204060, Self.small))
        try paint(pool, 0, 0x40)
        put(pool, 0, into: frames)
        try await waitUntil { script.commits.last?.video.map { $0 & 0xff_ffff } == 0x40_4040 }
        #expect(screen.statistics.framesUndecodable == 0)
        await screen.close()
    }

    @Test("with an overlay plane the last picture stays below the texts")
    func suspendedBelowOverlay() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, isMirrored: false)
        try paint(pool, 0, 0x40)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        screen.suspend()
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        #expect(script.commits.last?.video == 0x4040_4040)
        await screen.close()
    }

    @Test("a disconnected camera's memory leaves the screen before it is let go")
    func disconnected() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        for rung in [PreviewRung.exported, .mapped] {
            let pool = try pool(.xrgb, Self.size)
            let shown = screen.statistics.framesShown
            _ = try screen.connect(pool, frames: frames, by: rung, isMirrored: false)
            put(pool, 0, into: frames)
            try await waitUntil { screen.statistics.framesShown == shown + 1 }
            put(pool, 1, into: frames)  // perhaps on its way to the screen, perhaps not yet taken
            screen.disconnect()
            let returned = pool.takeReturned(starving: false)
            #expect(returned & 0b10 != 0)
            if rung == .exported { #expect(returned == 0b11) }
            #expect(script.commits.last?.video == nil)
            #expect(script.faults == [])
        }
        await screen.close()
    }

    // MARK: the display comes and goes

    @Test("a camera's frames do not make it look for a display")
    func searches() async throws {
        let searches = Atomic<Int>(0)
        try await withDisplaySearches {
            _ = searches.add(1, ordering: .relaxed)
        } body: { screen in
            let pool = try pool(.xrgb, Self.size)
            let frames = NewestFrame { screen.frameArrived() }
            for round in 0..<60 {
                put(pool, round % 2, into: frames)
                // Its thread has woken and sleeps again when it has answered.
                _ = screen.canScanOut(.xrgb)
                frames.clear()
            }
        }
        // One at the start; a slow machine may reach the next, two seconds later.
        #expect(searches.load(ordering: .relaxed) < 10)
    }

    private func withDisplaySearches(
        _ count: @escaping @Sendable () -> Void, body: (Screen) async throws -> Void
    ) async throws {
        let screen = try Screen { () throws(DisplayError) in
            count()
            throw DisplayError(.noDisplay, "no monitor")
        }
        try await body(screen)
        await screen.close()
    }

    @Test("an unplugged monitor is missed, and a false alarm disturbs nothing")
    func unplugged() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, isMirrored: false)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        screen.rescan()
        put(pool, 1, into: frames)
        try await waitUntil { screen.statistics.framesShown == 2 }
        #expect(script.opened == 1)
        script.with { $0.isPlugged = false }
        screen.rescan()
        await expectLost(.noDisplay, &events)
        #expect(pool.takeReturned(starving: false) == 0b11)
        #expect(!screen.canScanOut(.xrgb))
        script.with { $0.isPlugged = true }
        screen.rescan()
        while case .lost = await events.next(isolation: #isolation) {}
        #expect(script.opened == 2)
        #expect(script.faults == [])
        await screen.close()
    }

    // MARK: pictures that cannot be had

    @Test("a format for whose pictures there is no memory is passed over")
    func refusedFormat() async throws {
        let script = ScreenScript(Self.size)
        script.with { $0.refused = [.nv12] }
        let (screen, frames) = try script.start()
        let pool = try pool(.yuyv, Self.size)
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false) == .converted)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(script.commits.last?.videoDescription?.pixelFormat == .xrgb)
        await screen.close()
    }

    @Test("video with which the overlay does not work together is shown in another way")
    func clashingFormat() async throws {
        let script = ScreenScript(Self.size)
        script.with { $0.notBelowOverlay = [.nv12] }
        let (screen, frames) = try script.start()
        let pool = try pool(.nv12, Self.size)
        #expect(throws: DisplayError.self) {
            try screen.connect(pool, frames: frames, by: .exported, isMirrored: false)
        }
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false) == .converted)
        await screen.close()
    }

    @Test("an overlay for which there is no memory costs the overlay alone")
    func refusedOverlay() async throws {
        let script = ScreenScript(Self.size)
        script.with { $0.refused = [.argb] }
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, isMirrored: false)
        screen.setOverlay(try plain(0x204060, Self.size))
        guard case .overlayFailed = await events.next() else {
            Issue.record("expected an overlay that cannot be shown")
            return
        }
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        script.with { $0.refused = [] }
        screen.setOverlay(try plain(0x604020, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff60_4020 }
        #expect(script.opened == 1)
        await screen.close()
    }

    @Test("video for which there is no memory costs the video alone")
    func refusedVideo() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        let pool = try compressedPool(Self.size)
        _ = try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false)
        script.with { $0.refused = [.yuv420, .nv12, .xrgb] }
        try putJPEG(pool, 0, Self.size, 0x40, into: frames)
        guard case .videoFailed = await events.next() else {
            Issue.record("expected a stream that cannot be shown")
            return
        }
        #expect(pool.takeReturned(starving: false) == 1)
        screen.setOverlay(try plain(0x604020, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff60_4020 }
        #expect(script.opened == 1)
        await screen.close()
    }

    @Test("compressed frames that change their size are shown at the new one")
    func changedSize() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try compressedPool(Self.size)
        _ = try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false)
        try putJPEG(pool, 0, Self.size, 0x40, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        try putJPEG(pool, 1, Self.small, 0x80, into: frames)
        try await waitUntil { screen.statistics.framesUndecodable == 1 }
        try putJPEG(pool, 2, Self.small, 0x80, into: frames)
        try await waitUntil { screen.statistics.framesShown == 2 }
        #expect(script.commits.last?.videoDescription?.dimensions == Self.small)
        // Scaled up, it may come out a little darker.
        #expect([0x7e7e7e, 0x7f7f7f, 0x808080].contains(try await color(screen, x: 5, y: 5)))
        #expect(script.faults == [])
        await screen.close()
    }

    // MARK: memory

    @Test("overlay pictures are mapped only while they are drawn")
    func overlayMapping() async throws {
        let script = ScreenScript(Self.size)
        let screen = try Screen(open: script.open)
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        let made = script.with { state in state.made.map(\.mapping) }
        #expect(made == [.brief])
        await screen.close()
    }

    @Test("compressed frames are decoded no larger than their place on the screen wants")
    func scaledDecoding() async throws {
        let large = Dimensions(width: 256, height: 192)
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try compressedPool(large)
        _ = try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false)
        try putJPEG(pool, 0, large, 0x40, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(script.commits.last?.videoDescription?.dimensions == Self.size)
        #expect(try await color(screen, x: 60, y: 40) == 0x404040)
        await screen.close()
    }
}

extension LayerPlacement {
    fileprivate static func whole(_ size: Dimensions) -> LayerPlacement {
        LayerPlacement(source: PixelRect(size), target: PixelRect(size))
    }
}
