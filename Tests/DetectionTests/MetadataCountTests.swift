// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Detection
import Glibc
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

@Suite("Counters of MetadataOutput", .timeLimit(.common))
struct MetadataCountTests {
    private static let size = Dimensions(width: 64, height: 48)

    /// Counts the calls, and blocks the output's thread while it is held up.
    private final class Receiver: Sendable {
        let calls = Atomic(0)
        let isHeldUp = Atomic(true)
    }

    private func pool(_ description: FrameDescription, _ count: Int) throws -> FramePool {
        let buffers = try (0..<count).map { _ in
            [try FrameBuffer.memory(description.bufferSizes[0])]
        }
        return FramePool(description: description, buffers: buffers, wake: try WakeSignal())
    }

    @Test("each frame is counted once: as examined, unreadable, passed over or dropped")
    func counters() async throws {
        let receiver = Receiver()
        defer { receiver.isHeldUp.store(false, ordering: .releasing) }
        let output = try MetadataOutput([.motion], interval: 100_000_000) { _, _ in
            receiver.calls.add(1, ordering: .relaxed)
            while receiver.isHeldUp.load(ordering: .acquiring) { usleep(1000) }
        }
        let frames = try pool(#require(FrameDescription(.nv12, Self.size)), 6)
        func show(_ slot: Int, at milliseconds: Int64, brightRows: Int = 0) throws {
            try unsafe frames.slots[slot].withPixels(.write) { pixels in
                let (luma, stride) = unsafe (pixels.plane(0), pixels.bytesPerRow(0))
                for y in 0..<Self.size.height {
                    for x in 0..<Self.size.width {
                        unsafe luma[y * stride + x] = y < brightRows ? 200 : 100
                    }
                }
            }
            let info = FrameInfo(
                timestamp: milliseconds * 1_000_000, sequence: 0, bytesUsed: 0)
            output.receive(frames.lend(slot, info), from: StillStream())
        }
        try show(0, at: 1000)
        try await waitUntil { output.framesExamined == 1 }
        // The interval has not passed.
        try show(1, at: 1099)
        try await waitUntil { output.framesPassedOver == 1 }
        // The receiver of this motion blocks. Only the newest of the next frames waits.
        try show(2, at: 1100, brightRows: 16)
        try await waitUntil { receiver.calls.load(ordering: .relaxed) == 1 }
        for slot in 3...5 { try show(slot, at: Int64(slot) * 1000) }
        #expect(output.framesDropped == 2)
        receiver.isHeldUp.store(false, ordering: .releasing)
        try await waitUntil { output.framesExamined == 3 }
        let garbage = try pool(
            FrameDescription(
                pixelFormat: .mjpeg, dimensions: Self.size,
                planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)], bufferSizes: [4096],
                color: .jpeg), 1)
        let info = FrameInfo(timestamp: 6_000_000_000, sequence: 0, bytesUsed: 100)
        output.receive(garbage.lend(0, info), from: StillStream())
        try await waitUntil { output.framesUnreadable == 1 }
        await output.close()
        #expect(output.framesExamined == 3 && output.framesPassedOver == 1)
        #expect(output.framesDropped == 2 && output.framesUnreadable == 1)
    }
}
