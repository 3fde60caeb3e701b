// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Imaging
import LinuxIO
import Media
import Simulation
import Synchronization
import TestSupport
import Testing

@Suite("Screen", .timeLimit(.common))
struct ScreenTests {
    private static let size = Dimensions(width: 64, height: 48)

    private func screen() throws -> Screen {
        try Screen { () throws(DisplayError) in try MemoryScreen(size: Self.size) }
    }

    @Test("frames are shown from the camera's memory, and return after their successor")
    func exported() async throws {
        let screen = try screen()
        let pool = try pool(.xrgb, Self.size)
        let frames = FrameHandoff { screen.frameArrived() }
        #expect(
            try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
                == .exported)
        try paint(pool, 0, 0x40)
        try paint(pool, 1, 0x80)
        put(pool, 0, into: frames)
        // No frame follows it: the flip is read at the next heartbeat.
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(try await color(screen, x: 5, y: 5) == 0x404040)
        #expect(pool.takeReturned(starving: false) == 0)
        put(pool, 1, into: frames)
        try await waitUntil { screen.statistics.framesShown == 2 }
        #expect(try await color(screen, x: 5, y: 5) == 0x808080)
        #expect(pool.takeReturned(starving: false) == 0b01)
        #expect(screen.statistics.bytesCopiedPerFrame == 0)
        screen.disconnect()
        #expect(pool.takeReturned(starving: false) == 0b10)
        await screen.close()
    }

    @Test("a packed YUV stream is converted in one pass, and its frames return at once")
    func converted() async throws {
        let screen = try screen()
        let pool = try pool(.yuyv, Self.size)
        let frames = FrameHandoff { screen.frameArrived() }
        #expect(throws: DisplayError.self) {
            try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        }
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
                == .converted)
        try paint(pool, 0, 0x80)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(pool.takeReturned(starving: false) == 1)
        #expect(try await color(screen, x: 5, y: 5) == 0x808080)
        #expect(screen.statistics.bytesCopiedPerFrame == 64 * 48 * 3 / 2)
        await screen.close()
    }

    @Test("a frame that cannot be imported is copied, and returns at once")
    func copied() async throws {
        let script = ScreenScript(Self.size)
        script.with { $0.refusesImports = true }
        let (screen, frames) = try script.start()
        let pool = try pool(.xrgb, Self.size)
        for memoryPath in [PreviewMemoryPath.exported, .imported] {
            #expect(throws: SystemCallError.self) {
                try screen.connect(pool, frames: frames, by: memoryPath, layout: VideoLayout())
            }
        }
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout()) == .copied)
        try paint(pool, 0, 0x40)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(pool.takeReturned(starving: false) == 1)
        // The picture on screen is a copy, so this changes nothing.
        try paint(pool, 0, 0x80)
        #expect(try await color(screen, x: 5, y: 5) == 0x404040)
        #expect(screen.statistics.bytesCopiedPerFrame == 64 * 48 * 4)
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("the overlay covers the video, and can be removed")
    func overlay() async throws {
        let screen = try screen()
        let pool = try pool(.xrgb, Self.size)
        let frames = FrameHandoff { screen.frameArrived() }
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        try paint(pool, 0, 0x40)
        put(pool, 0, into: frames)
        var picture = try PixelStorage(.argb, Self.size, color: .jpeg)
        unsafe picture.withMutablePixels { pixels in
            // The left half opaque white, the right half transparent.
            for y in 0..<48 {
                for x in 0..<32 * 4 { unsafe pixels.plane(0)[y * pixels.bytesPerRow(0) + x] = 255 }
            }
        }
        screen.setOverlay(unsafe picture.withPixels { unsafe OverlayPicture(copying: $0) })
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(try await color(screen, x: 5, y: 5) == 0xffffff)
        #expect(try await color(screen, x: 60, y: 5) == 0x404040)
        screen.setOverlay(nil)
        #expect(try await color(screen, x: 5, y: 5) == 0x404040)
        await screen.close()
    }

    @Test("a mirrored connection shows the picture's left on the right")
    func mirrored() async throws {
        let screen = try screen()
        let pool = try pool(.xrgb, Self.size)
        let frames = FrameHandoff { screen.frameArrived() }
        _ = try screen.connect(
            pool, frames: frames, by: .exported, layout: VideoLayout(orientation: .mirrored))
        try unsafe pool.slots[0].withPixels(.write) { pixels in
            for y in 0..<48 {
                for x in 0..<4 { unsafe pixels.plane(0)[y * pixels.bytesPerRow(0) + x] = 0xff }
            }
        }
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(try await color(screen, x: 63, y: 3) == 0xffffff)
        #expect(try await color(screen, x: 0, y: 3) == 0)
        await screen.close()
    }

    @Test("without an overlay plane, the overlay is the picture or blended into the video")
    func noOverlayPlane() async throws {
        let script = ScreenScript(Self.size, hasOverlay: false)
        let screen = try Screen(open: script.open)
        /// Waits for a commit whose only layer has this colour.
        func shows(_ color: UInt32) async throws {
            try await waitUntil { script.commits.last?.video.map { $0 & 0xff_ffff } == color }
        }
        screen.setOverlay(try plain(0x204060, Self.size))
        try await shows(0x204060)
        let pool = try pool(.xrgb, Self.size)
        let frames = FrameHandoff { screen.frameArrived() }
        #expect(throws: DisplayError.self) {
            try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        }
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, layout: VideoLayout())
                == .converted)
        setOverlay(try plain(0x604020, Self.size), on: screen)
        put(pool, 0, into: frames)
        try await shows(0x604020)
        setOverlay(nil, on: screen)
        try paint(pool, 1, 0x40)
        put(pool, 1, into: frames)
        try await shows(0x404040)
        screen.setOverlay(try plain(0x102030, Self.size))
        screen.disconnect()
        try await shows(0x102030)
        #expect(script.commits.allSatisfy { $0.overlay == nil })
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("memory is lent to frames that fit: one buffer, rows no longer than its own")
    func lentMemory() async throws {
        let screen = try screen()
        let frame = try #require(FrameDescription(.nv12, Self.size))
        let lent = try #require(try screen.allocate(frame))
        #expect(lent.count == 1 && lent[0].size >= frame.bufferSizes[0])

        var planar = frame
        planar.bufferSizes = [64 * 48, 64 * 24]
        planar.planes[1].buffer = 1
        planar.planes[1].offset = 0
        #expect(try screen.allocate(planar) == nil)

        let padded = try #require(FrameDescription(.nv12, Self.size, bytesPerRow: 4096))
        #expect(try screen.allocate(padded) == nil)
        await screen.close()
    }

    @Test("many frames in a row are shown and all returned")
    func stream() async throws {
        let screen = try screen()
        let pool = try pool(.xrgb, Self.size)
        let frames = FrameHandoff { screen.frameArrived() }
        _ = try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        var free: UInt64 = 0b111111
        for _ in 0..<120 {
            free |= pool.takeReturned(starving: false)
            if free != 0 {
                let index = free.trailingZeroBitCount
                free &= free - 1
                put(pool, index, into: frames)
            }
            try await Task.sleep(for: .milliseconds(4))
        }
        #expect(screen.statistics.framesShown > 10)
        screen.disconnect()
        free |= pool.takeReturned(starving: false)
        #expect(free == 0b111111)
        await screen.close()
    }

    @Test("a screen without a display says so, refuses streams, and finds a display later")
    func absent() async throws {
        let isThere = Flag()
        let screen = try Screen { () throws(DisplayError) in
            if !isThere.isSet { throw DisplayError(.noDisplay, "no monitor") }
            return try MemoryScreen(size: Self.size)
        }
        var events = screen.events.makeAsyncIterator()
        guard case .lost(let error) = await events.next() else {
            Issue.record("expected a lost display")
            return
        }
        #expect(error.code == .noDisplay)
        #expect(!screen.canScanOut(.xrgb))
        let pool = try pool(.xrgb, Self.size)
        let frames = FrameHandoff { screen.frameArrived() }
        #expect(throws: DisplayError.self) {
            try screen.connect(pool, frames: frames, by: .exported, layout: VideoLayout())
        }
        isThere.set()
        screen.rescan()
        guard case .ready(_, let mode, let size) = await events.next() else {
            Issue.record("expected a display")
            return
        }
        #expect(mode == "64x48@60" && size == Self.size)
        #expect(screen.canScanOut(.xrgb))
        await screen.close()
    }
}

private final class Flag: Sendable {
    private let stored = Atomic<Bool>(false)
    var isSet: Bool { stored.load(ordering: .acquiring) }
    func set() { stored.store(true, ordering: .releasing) }
}
