// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Foundation
import Media
import Synchronization
import TestSupport
import Testing

@Suite("Screen: playback above the camera's video", .timeLimit(.common))
struct PlaybackInputTests {
    private static let size = Dimensions(width: 64, height: 48)

    /// A stream of XRGB frames, each of one grey.
    private struct Stream {
        let pool: FramePool
        let frames: FrameHandoff

        init(to target: any PreviewTarget) throws {
            pool = try DisplayTests.pool(.xrgb, PlaybackInputTests.size)
            frames = FrameHandoff { target.frameArrived() }
        }

        func show(_ slot: Int, _ grey: UInt8) throws {
            try paint(pool, slot, grey)
            put(pool, slot, into: frames)
        }
    }

    private func expect(
        _ color: UInt32, on screen: Screen, at location: SourceLocation = #_sourceLocation
    ) async throws {
        try await waitUntil("the colour is \(color)", at: location) {
            try await DisplayTests.color(screen, x: 5, y: 5) == color
        }
    }

    /// Plays a picture, and waits until it is seen.
    private func played(on screen: Screen) async throws -> Stream {
        let played = try Stream(to: screen.playback)
        _ = try screen.playback.connect(
            played.pool, frames: played.frames, by: .exported, layout: VideoLayout())
        try played.show(0, 0x80)
        try await expect(0x808080, on: screen)
        return played
    }

    @Test(
        "playback covers the camera, whose newest frame is shown at once afterwards",
        arguments: [PreviewMemoryPath.exported, .mapped])
    func covers(memoryPath: PreviewMemoryPath) async throws {
        let script = ScreenScript(Self.size)
        let (screen, cameraFrames) = try script.start()
        let camera = try pool(.xrgb, Self.size)
        let playback = screen.playback
        let played = try Stream(to: playback)
        _ = try screen.connect(
            camera, frames: cameraFrames, by: memoryPath, layout: VideoLayout())
        try paint(camera, 0, 0x20)
        put(camera, 0, into: cameraFrames)
        try await expect(0x202020, on: screen)

        _ = try playback.connect(
            played.pool, frames: played.frames, by: .exported, layout: VideoLayout())
        // The camera's picture stays until there is another one.
        #expect(try await color(screen, x: 5, y: 5) == 0x202020)
        try played.show(0, 0x80)
        try await expect(0x808080, on: screen)
        for (slot, grey) in [(1, UInt8(0x30)), (2, 0x40)] {
            try paint(camera, slot, grey)
            put(camera, slot, into: cameraFrames)
        }
        try played.show(1, 0x90)
        try await expect(0x909090, on: screen)
        // The older of the two frames has gone back to the camera.
        #expect(camera.takeReturned(starving: false) & 0b110 == 0b010)

        playback.suspend()
        try await expect(0x404040, on: screen)
        try paint(camera, 1, 0x50)
        put(camera, 1, into: cameraFrames)
        try await expect(0x505050, on: screen)
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("a camera that comes, changes or goes meanwhile does not disturb playback")
    func camera() async throws {
        let script = ScreenScript(Self.size)
        let (screen, _) = try script.start()
        let played = try await played(on: screen)
        for slot in 0..<3 {
            let camera = try Stream(to: screen)
            #expect(
                try screen.connect(
                    camera.pool, frames: camera.frames, by: .exported, layout: VideoLayout())
                    == .exported)
            try camera.show(slot, 0x20)
            if slot == 1 { screen.suspend() }
            try played.show(1 - slot % 2, 0x70 + UInt8(slot))
            try await expect(0x707070 + 0x010101 * UInt32(slot), on: screen)
        }
        screen.playback.suspend()
        try await expect(0x202020, on: screen)
        #expect(script.faults == [])
        await screen.close()
    }

    @Test("who plays is told when a display is back, and only then")
    func comesBack() async throws {
        let script = ScreenScript(Self.size)
        let (screen, _) = try script.start()
        var events = screen.events.makeAsyncIterator()
        guard case .ready = await events.next() else { return _ = Issue.record("no display") }
        let (owner, other) = (NSObject(), NSObject())
        let calls = Mutex<[String]>([])
        let playback = screen.playback
        playback.observeDisplays(for: owner) { calls.withLock { $0.append("owner") } }
        playback.observeDisplays(for: other) { calls.withLock { $0.append("other") } }
        playback.observeDisplays(for: other, nil)
        let played = try await played(on: screen)
        #expect(calls.withLock { $0 } == [])
        script.with { $0.refusal = EACCES }
        try played.show(1, 0x90)
        guard case .lost = await events.next() else { return _ = Issue.record("not lost") }
        script.with { $0.refusal = nil }
        screen.rescan()
        guard case .ready = await events.next() else { return _ = Issue.record("not back") }
        #expect(calls.withLock { $0 } == ["owner"])
        let again = try await self.played(on: screen)
        #expect(calls.withLock { $0 } == ["owner"])
        _ = again
        await screen.close()
    }

    @Test("a paused picture shows another overlay, also on a display without a plane for it")
    func overlay() async throws {
        let script = ScreenScript(Self.size, hasOverlay: false)
        let (screen, _) = try script.start()
        let played = try Stream(to: screen.playback)
        _ = try screen.playback.connect(
            played.pool, frames: played.frames, by: .mapped, layout: VideoLayout())
        try played.show(0, 0x80)
        try await expect(0x808080, on: screen)
        screen.setOverlay(try plain(0x604020, Self.size))
        try await expect(0x604020, on: screen)
        screen.setOverlay(nil)
        try await expect(0x808080, on: screen)
        // The frame returns with its successor.
        #expect(played.pool.takeReturned(starving: false) == 0)
        try played.show(1, 0x40)
        try await expect(0x404040, on: screen)
        #expect(played.pool.takeReturned(starving: false) == 1)
        await screen.close()
        #expect(script.faults == [])
    }

    @Test("without a camera, the last picture stays when playback ends")
    func alone() async throws {
        let script = ScreenScript(Self.size)
        let (screen, _) = try script.start()
        let played = try await played(on: screen)
        screen.playback.suspend()
        #expect(try await color(screen, x: 5, y: 5) == 0x808080)
        await screen.close()
        #expect(script.faults == [])
    }
}
