// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Glibc
import Imaging
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// The screen's handling of monitors, hardware and cameras that change or fail.
@Suite("Screen: changes and faults", .timeLimit(.common))
struct ScreenFaultTests {
    private static let size = Dimensions(width: 64, height: 48)
    private static let small = Dimensions(width: 32, height: 24)

    /// Expects the next event to be a display of this size.
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

    @Test("a first compressed frame's mode is announced before anything is shown in it")
    func modeOfFirstFrame() async throws {
        let script = ScreenScript(Self.size, Self.small, scales: false)
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        let pool = try compressedPool(Self.small)
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout()) == .decoded
        )
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
        _ = try screen.connect(first, frames: frames, by: .exported, layout: VideoLayout())
        try paint(first, 0, 0x40)
        put(first, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        let second = try pool(.xrgb, Self.small)
        _ = try screen.connect(
            second, frames: frames, by: .exported, layout: VideoLayout(orientation: .mirrored))
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

    @Test("the old picture is neither shown nor in use after a change of mode")
    func pictureOfOldMode() async throws {
        let script = ScreenScript(Self.size, Self.small, scales: false)
        let (screen, frames) = try script.start()
        let first = try pool(.xrgb, Self.size)
        _ = try screen.connect(first, frames: frames, by: .exported, layout: VideoLayout())
        try paint(first, 0, 0x40)
        put(first, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        let second = try pool(.xrgb, Self.small)
        _ = try screen.connect(second, frames: frames, by: .exported, layout: VideoLayout())
        screen.setOverlay(try plain(0x204060, Self.small))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        #expect(script.commits.last?.video == nil)
        #expect(first.takeReturned(starving: false) == 1)
        #expect(script.faults == [])
        // A camera that fits the monitor's own mode brings that mode back.
        let third = try pool(.xrgb, Self.size)
        _ = try screen.connect(third, frames: frames, by: .exported, layout: VideoLayout())
        put(third, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 2 }
        #expect(script.commits.last?.screen == Self.size)
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("a stream of undecodable frames fails, unless good frames come in between")
    func undecodable() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        let pool = try compressedPool(Self.size)
        for index in 0..<5 { try paint(pool, index, 0x55) }
        /// Sends garbage for this many seconds, or until the task is cancelled.
        @Sendable func send(seconds: Double) async throws {
            let end = Clock.monotonic + Int64(seconds * 1e9)
            var index = 0
            while Clock.monotonic < end {
                _ = pool.takeReturned(starving: false)
                put(pool, index % 5, into: frames, bytesUsed: 1000)
                index += 1
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        _ = try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
        try await send(seconds: 2)
        try putJPEG(pool, 5, Self.size, 0x40, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        try await send(seconds: 2)
        #expect(script.commits.last?.video != nil)
        let garbage = Task { try await send(seconds: 3600) }
        defer { garbage.cancel() }
        guard case .videoFailed(let error) = await events.next(isolation: #isolation) else {
            Issue.record("expected a camera without video")
            return
        }
        garbage.cancel()
        _ = await garbage.result
        #expect("\(error)".contains("decoded"))
        try await waitUntil { script.commits.last?.video == nil }
        // The next stream is reported as soon as its picture is shown.
        _ = try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
        _ = pool.takeReturned(starving: false)
        try putJPEG(pool, 5, Self.size, 0x40, into: frames)
        guard case .videoShown = await events.next(isolation: #isolation) else {
            Issue.record("expected video again")
            return
        }
        #expect(script.faults == [])
        await screen.close()
    }

    // MARK: the thread

    @Test("a replacement thread takes over the display of the thread before")
    func replacedThread() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        // The control: a thread that makes progress is not replaced.
        #expect(!screen.replaceHangingThread(after: .seconds(600)))
        for round in 1...2 {
            try await waitUntil { screen.replaceHangingThread(after: .zero) }
            put(pool, round, into: frames)
            try await waitUntil { screen.statistics.framesShown == round + 1 }
            let color = UInt32(0x10_2030 * round)
            screen.setOverlay(try plain(color, Self.size))
            try await waitUntil { script.commits.last?.overlay == 0xff00_0000 | color }
        }
        #expect(script.opened == 1)
        await screen.close()
        #expect(script.faults == [])
    }

    // MARK: the stream stops

    @Test("overlays are shown without an overlay plane even after the frames stop")
    func suspended() async throws {
        let script = ScreenScript(Self.size, hasOverlay: false)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
        try paint(pool, 0, 0x40)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        screen.suspend()
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.video == 0xff20_4060 }
        try await waitUntil { try await color(screen, x: 5, y: 5) == 0x204060 }
        screen.setOverlay(try plain(0x604020, Self.size))
        try await waitUntil { script.commits.last?.video == 0xff60_4020 }
        // The stream begins again.
        _ = try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
        setOverlay(nil, on: screen)
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
        _ = try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
        screen.setOverlay(try plain(0x204060, Self.small))
        try paint(pool, 0, 0x40)
        put(pool, 0, into: frames)
        try await waitUntil { script.commits.last?.video.map { $0 & 0xff_ffff } == 0x40_4040 }
        #expect(screen.statistics.framesUndecodable == 0)
        await screen.close()
    }

    @Test(
        "pictures are written turned if planes cannot turn them, and appear upright",
        arguments: [true, false])
    func turnedDisplay(_ hasOverlay: Bool) async throws {
        let script = ScreenScript(
            Self.size, hasOverlay: hasOverlay, rotation: .quarter)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        #expect(throws: DisplayError.self) {
            try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        }
        _ = try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
        // The upper half is dark, the lower half light. The left half is light once turned
        // clockwise.
        try unsafe pool.slots[0].withPixels(.write) { pixels in
            let half = unsafe pixels.bytesPerRow(0) * Self.size.height / 2
            for offset in 0..<2 * half {
                unsafe pixels.plane(0)[offset] = offset < half ? 0x20 : 0xc0
            }
        }
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(script.commits.last?.video.map { $0 & 0xff_ffff } == 0xc0_c0c0)
        #expect(try await color(screen, x: 0, y: 0) == 0x20_2020)
        #expect(try await color(screen, x: 0, y: Self.size.height - 1) == 0xc0_c0c0)
        var text = try PixelStorage(.argb, Self.size, color: .jpeg)
        // One opaque pixel at the lower left. It is the first pixel once turned.
        unsafe text.withMutablePixels { pixels in
            let row = unsafe pixels.plane(0) + (Self.size.height - 1) * pixels.bytesPerRow(0)
            unsafe UnsafeMutableRawPointer(row).storeBytes(of: 0xff12_3456, as: UInt32.self)
        }
        setOverlay(unsafe text.withPixels { unsafe OverlayPicture(copying: $0) }, on: screen)
        put(pool, 0, into: frames)
        try await waitUntil {
            let last = script.commits.last
            return (hasOverlay ? last?.overlay : last?.video).map { $0 & 0xff_ffff } == 0x12_3456
        }
        try await waitUntil { try await color(screen, x: 0, y: Self.size.height - 1) == 0x12_3456 }
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("a screen that is off returns frames unseen, and shows them once on again")
    func switchedOff() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        for index in 0..<6 { try paint(pool, index, 0x40) }
        screen.setOverlay(try plain(0x204060, Self.size))
        put(pool, 0, into: frames)
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        screen.setActive(false)
        try await waitUntil { !script.with { $0.isActive } }
        #expect(try await color(screen, x: 0, y: 0) == 0)
        let (commits, heartbeat) = (script.commits.count, screen.statistics.lastHeartbeat)
        for index in 1..<5 { put(pool, index, into: frames) }
        screen.setOverlay(try plain(0x604020, Self.size))
        // The thread makes progress, and holds no frame.
        try await waitUntil { screen.statistics.lastHeartbeat > heartbeat }
        try await waitUntil { pool.takeReturned(starving: true) & 0b10000 != 0 }
        #expect(script.commits.count == commits)
        // A camera that is connected or disconnected meanwhile does not switch the screen on.
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        screen.disconnect()
        #expect(script.commits.count == commits && !script.with { $0.isActive })
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        screen.setActive(true)
        // Otherwise the frame may meet a screen that is still off.
        try await waitUntil { script.with { $0.isActive } }
        put(pool, 5, into: frames)
        try await waitUntil { script.commits.last?.video.map { $0 & 0xff_ffff } == 0x40_4040 }
        try await waitUntil { script.commits.last?.overlay == 0xff60_4020 }
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("a screen that cannot enter standby is black, says why, and shows pictures later")
    func refusedStandby() async throws {
        let script = ScreenScript(Self.size)
        script.with { $0.refusesStandby = true }
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        screen.setActive(false)
        guard case .standbyRefused(let error) = await events.next() else {
            Issue.record("expected a word about the standby")
            return
        }
        #expect("\(error)".contains("is black in standby") && "\(error)".contains("ATOMIC"))
        #expect(try await color(screen, x: 0, y: 0) == 0)
        screen.setActive(true)
        try await waitUntil { script.with { $0.isActive } }
        try paint(pool, 0, 0x40)
        put(pool, 0, into: frames)
        try await waitUntil { script.commits.last?.video == 0x4040_4040 }
        #expect(script.opened == 1)
        await screen.close()
    }

    @Test("the last picture stays below the overlay on an overlay plane")
    func suspendedBelowOverlay() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        try paint(pool, 0, 0x40)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        screen.suspend()
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        #expect(script.commits.last?.video == 0x4040_4040)
        await screen.close()
    }

    @Test("the display gets one full commit, then plain flips until something changes")
    func plainFlips() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        for index in 0..<6 { try paint(pool, index, UInt8(0x10 * (index + 1))) }
        func show(_ index: Int) async throws {
            put(pool, index, into: frames)
            let pixel = 0x1010_1010 * UInt32(index + 1)
            try await waitUntil { script.commits.last?.video == pixel }
        }
        for index in 0..<3 { try await show(index) }
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        for index in 3..<5 { try await show(index) }
        screen.setActive(false)
        screen.setActive(true)
        try await waitUntil { script.commits.last?.isFlip == false }
        try await show(5)
        // On a busy machine, the picture on screen is committed again in between as a sign of life.
        var changes: [ScreenScript.Committed] = []
        for commit in script.commits.drop(while: { $0.video == nil }) {
            if commit.video != changes.last?.video || commit.overlay != changes.last?.overlay {
                changes.append(commit)
            }
        }
        // The display gets a full commit after a refusal.
        for (change, isFlip) in zip(changes, [false, true, true, false, true, true]) {
            #expect(change.isFlip == isFlip || isFlip && change.isRetry)
        }
        #expect(changes.count >= 6)
        #expect(script.commits.last?.overlay == 0xff20_4060)
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("a disconnected camera's memory leaves the screen before it is released")
    func disconnected() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        for memoryPath in [PreviewMemoryPath.exported, .mapped] {
            let pool = try pool(.xrgb, Self.size)
            let shown = screen.statistics.framesShown
            _ = try screen.connect(pool, frames: frames, by: memoryPath, layout: VideoLayout())
            put(pool, 0, into: frames)
            try await waitUntil { screen.statistics.framesShown == shown + 1 }
            put(pool, 1, into: frames)  // perhaps on its way to the screen, perhaps not yet taken
            screen.disconnect()
            let returned = pool.takeReturned(starving: false)
            #expect(returned & 0b10 != 0)
            if memoryPath == .exported { #expect(returned == 0b11) }
            #expect(script.commits.last?.video == nil)
            #expect(script.faults == [])
        }
        await screen.close()
    }

    // MARK: the display comes and goes

    @Test("a screen without a display sleeps, although it has an overlay to show")
    func sleepsWithoutDisplay() async throws {
        let script = ScreenScript(Dimensions(width: 64, height: 48))
        script.with { $0.isPlugged = false }
        let (screen, _) = try script.start()
        screen.setOverlay(try plain(0x204060, Dimensions(width: 64, height: 48)))
        try await Task.sleep(for: .milliseconds(100))
        var turns: Set<Int64> = []
        let began = ContinuousClock.now
        for _ in 0..<100 {
            turns.insert(screen.statistics.lastHeartbeat)
            try await Task.sleep(for: .milliseconds(5))
        }
        // The watchdog's turns, and a search after each, are allowed. The display's rate would make
        // sixty turns per second.
        let seconds = Int((ContinuousClock.now - began).components.seconds)
        #expect(turns.count <= 3 + 3 * seconds, "\(turns.count) turns in \(seconds) s and a bit")
        await screen.close()
    }

    @Test("a camera's frames do not trigger searches for a display")
    func searches() async throws {
        let searches = Atomic<Int>(0)
        try await withDisplaySearches {
            _ = searches.add(1, ordering: .relaxed)
        } body: { screen in
            let pool = try pool(.xrgb, Self.size)
            let frames = FrameHandoff { screen.frameArrived() }
            for round in 0..<60 {
                put(pool, round % 2, into: frames)
                // The answer shows that the thread has woken and will sleep again.
                _ = screen.canScanOut(.xrgb)
                frames.clear()
            }
        }
        // One search at the start; a slow machine may reach the next one, two seconds later.
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

    @Test("an unplugged monitor is reported lost, and a false alarm changes nothing")
    func unplugged() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
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

    @Test("a format whose images get no memory is skipped")
    func refusedFormat() async throws {
        let script = ScreenScript(Self.size)
        script.with { $0.refused = [.nv12] }
        let (screen, frames) = try script.start()
        let pool = try pool(.yuyv, Self.size)
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
                == .converted)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(script.commits.last?.videoDescription?.pixelFormat == .xrgb)
        await screen.close()
    }

    @Test("video that clashes with the overlay plane is converted to another format")
    func clashingFormat() async throws {
        let script = ScreenScript(Self.size)
        script.with { $0.notBelowOverlay = [.nv12] }
        let (screen, frames) = try script.start()
        let pool = try pool(.nv12, Self.size)
        #expect(throws: DisplayError.self) {
            try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        }
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
                == .converted)
        await screen.close()
    }

    @Test("an overlay without memory fails alone, and is shown once there is memory")
    func refusedOverlay() async throws {
        let script = ScreenScript(Self.size)
        script.with { $0.refused = [.argb] }
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        let pool = try pool(.xrgb, Self.size)
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        screen.setOverlay(try plain(0x204060, Self.size))
        guard case .overlayFailed = await events.next() else {
            Issue.record("expected an overlay that cannot be shown")
            return
        }
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        screen.setOverlay(try plain(0x604020, Self.size))
        script.with { $0.refused = [] }
        // The overlay comes by itself. Its failure was reported once.
        guard case .overlayShown = await events.next() else {
            Issue.record("expected the overlay, and no second word about its failure")
            return
        }
        try await waitUntil { script.commits.last?.overlay == 0xff60_4020 }
        #expect(script.opened == 1)
        await screen.close()
    }

    @Test("an overlay that is refused briefly is not drawn into the one on screen")
    func refusedForAMoment() async throws {
        let script = ScreenScript(Self.size)
        let screen = try Screen(open: script.open)
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        script.with { $0.refusal = ENOSPC }
        for color in [UInt32(0x604020), 0x406020] {
            screen.setOverlay(try plain(color, Self.size))
            try await waitUntil {
                script.with { $0.refusedCommits.last?.overlay } == 0xff00_0000 | color
            }
        }
        script.with { $0.refusal = nil }
        try await waitUntil { script.commits.last?.overlay == 0xff40_6020 }
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("video without memory fails alone")
    func refusedVideo() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        var events = screen.events.makeAsyncIterator()
        await expectReady(Self.size, &events)
        let pool = try compressedPool(Self.size)
        _ = try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
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

    @Test("compressed frames that change size are shown at the new size")
    func changedSize() async throws {
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try compressedPool(Self.size)
        _ = try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
        try putJPEG(pool, 0, Self.size, 0x40, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        try putJPEG(pool, 1, Self.small, 0x80, into: frames)
        try await waitUntil { screen.statistics.framesUndecodable == 1 }
        try putJPEG(pool, 2, Self.small, 0x80, into: frames)
        try await waitUntil { screen.statistics.framesShown == 2 }
        #expect(script.commits.last?.videoDescription?.dimensions == Self.small)
        // Scaling up may make it a little darker.
        #expect([0x7e7e7e, 0x7f7f7f, 0x808080].contains(try await color(screen, x: 5, y: 5)))
        #expect(script.faults == [])
        await screen.close()
    }

    // MARK: memory

    @Test("overlay images are mapped only while they are drawn")
    func overlayMapping() async throws {
        let script = ScreenScript(Self.size)
        let screen = try Screen(open: script.open)
        screen.setOverlay(try plain(0x204060, Self.size))
        try await waitUntil { script.commits.last?.overlay == 0xff20_4060 }
        let made = script.with { state in state.made.map(\.mapping) }
        #expect(made == [.brief])
        await screen.close()
    }

    @Test("compressed frames are decoded no larger than their place on the screen")
    func scaledDecoding() async throws {
        let large = Dimensions(width: 256, height: 192)
        let script = ScreenScript(Self.size)
        let (screen, frames) = try script.start()
        let pool = try compressedPool(large)
        _ = try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
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
