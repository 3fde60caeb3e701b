// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Imaging
import LinuxIO
import Media
import Simulation
import Synchronization
import Testing

@Suite("Screen", .timeLimit(.minutes(1)))
struct ScreenTests {
    private static let size = Dimensions(width: 64, height: 48)

    /// A pool of pictures, each of one grey level.
    private func pool(
        _ format: PixelFormat, _ size: Dimensions, count: Int = 6
    ) throws -> FramePool {
        let description = try #require(FrameDescription(format, size, color: .jpeg))
        let buffers = try (0..<count).map { _ in
            [try FrameBuffer.memory(description.bufferSizes[0])]
        }
        return FramePool(description: description, buffers: buffers, wake: try WakeSignal())
    }

    private func paint(_ pool: FramePool, _ index: Int, _ value: UInt8) throws {
        try unsafe pool.slots[index].withPixels(.write) { pixels in
            let plane = unsafe pixels.plane(0)
            for offset in 0..<pool.description.bufferSizes[0] { unsafe plane[offset] = value }
        }
    }

    private func put(_ pool: FramePool, _ index: Int, into frames: NewestFrame) {
        let now = Clock.monotonic
        frames.put(
            pool.lend(index, FrameInfo(timestamp: now, sequence: UInt32(index), bytesUsed: 0)))
    }

    private func screen() throws -> Screen {
        try Screen { () throws(DisplayError) in try MemoryScreen(size: Self.size) }
    }

    private func waitUntil(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// The colour at a pixel of what a person sees.
    private func color(_ screen: Screen, x: Int, y: Int) async throws -> UInt32 {
        try await unsafe screen.snapshot().withPixels { pixels in
            let row = unsafe pixels.plane(0) + y * pixels.bytesPerRow(0) + x * 4
            return unsafe UInt32(row[0]) | UInt32(row[1]) << 8 | UInt32(row[2]) << 16
        }
    }

    @Test("frames are shown from the camera's own memory, and each goes back after its successor")
    func exported() async throws {
        let screen = try screen()
        let pool = try pool(.xrgb, Self.size)
        let frames = NewestFrame(wake: screen.wake)
        #expect(
            try screen.connect(pool, frames: frames, by: .exported, isMirrored: false) == .exported)
        try paint(pool, 0, 0x40)
        try paint(pool, 1, 0x80)
        put(pool, 0, into: frames)
        // Nothing comes after it: the flip is read at the next heartbeat.
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

    @Test("a packed YUV stream is converted in one pass and its frames go back at once")
    func converted() async throws {
        let screen = try screen()
        let pool = try pool(.yuyv, Self.size)
        let frames = NewestFrame(wake: screen.wake)
        #expect(throws: DisplayError.self) {
            try screen.connect(pool, frames: frames, by: .exported, isMirrored: false)
        }
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false) == .converted)
        try paint(pool, 0, 0x80)
        put(pool, 0, into: frames)
        try await waitUntil { screen.statistics.framesShown == 1 }
        #expect(pool.takeReturned(starving: false) == 1)
        #expect(try await color(screen, x: 5, y: 5) == 0x808080)
        #expect(screen.statistics.bytesCopiedPerFrame == 64 * 48 * 3 / 2)
        await screen.close()
    }

    /// An opaque overlay of one colour.
    private func plain(_ color: UInt32) throws -> OverlayPicture {
        var picture = try PixelStorage(.argb, Self.size, color: .jpeg)
        unsafe picture.withMutablePixels { pixels in
            for y in 0..<48 {
                let row = unsafe UnsafeMutableRawPointer(
                    pixels.plane(0) + y * pixels.bytesPerRow(0))
                for x in 0..<64 {
                    unsafe row.storeBytes(
                        of: 0xff00_0000 | color, toByteOffset: x * 4, as: UInt32.self)
                }
            }
        }
        return unsafe picture.withPixels { unsafe OverlayPicture(copying: $0) }
    }

    @Test("the overlay lies over the video and goes away")
    func overlay() async throws {
        let screen = try screen()
        let pool = try pool(.xrgb, Self.size)
        let frames = NewestFrame(wake: screen.wake)
        _ = try screen.connect(pool, frames: frames, by: .exported, isMirrored: false)
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
        let frames = NewestFrame(wake: screen.wake)
        _ = try screen.connect(pool, frames: frames, by: .exported, isMirrored: true)
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

    /// Waits for a commit whose only layer has this colour.
    private static func wait(
        for color: UInt32, in commits: inout AsyncStream<WatchedScreen.Committed>.Iterator
    ) async {
        while let next = await commits.next(isolation: #isolation) {
            #expect(next.overlay == nil)
            if let video = next.video, video & 0xff_ffff == color { return }
        }
    }

    @Test("without an overlay plane the overlay is the picture, or lies in the video's")
    func noOverlayPlane() async throws {
        let (commits, continuation) = AsyncStream.makeStream(of: WatchedScreen.Committed.self)
        let screen = try Screen { () throws(DisplayError) in
            WatchedScreen(try MemoryScreen(size: Self.size, hasOverlay: false)) {
                continuation.yield($0)
            }
        }
        var committed = commits.makeAsyncIterator()
        screen.setOverlay(try plain(0x204060))
        await Self.wait(for: 0x204060, in: &committed)
        let pool = try pool(.xrgb, Self.size)
        let frames = NewestFrame(wake: screen.wake)
        #expect(throws: DisplayError.self) {
            try screen.connect(pool, frames: frames, by: .exported, isMirrored: false)
        }
        #expect(
            try screen.connect(pool, frames: frames, by: .mapped, isMirrored: false) == .converted)
        screen.setOverlay(try plain(0x604020))
        put(pool, 0, into: frames)
        await Self.wait(for: 0x604020, in: &committed)
        screen.setOverlay(nil)
        try paint(pool, 1, 0x40)
        put(pool, 1, into: frames)
        await Self.wait(for: 0x404040, in: &committed)
        screen.setOverlay(try plain(0x102030))
        screen.disconnect()
        await Self.wait(for: 0x102030, in: &committed)
        await screen.close()
    }

    @Test("many frames in a row are all given back, and the newest is on screen")
    func stream() async throws {
        let screen = try screen()
        let pool = try pool(.xrgb, Self.size)
        let frames = NewestFrame(wake: screen.wake)
        _ = try screen.connect(pool, frames: frames, by: .exported, isMirrored: false)
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

    @Test("without a display it says so, finds one later, and answers what cannot be done")
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
        #expect(throws: DisplayError.self) {
            try screen.connect(
                pool, frames: NewestFrame(wake: screen.wake), by: .exported, isMirrored: false)
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
