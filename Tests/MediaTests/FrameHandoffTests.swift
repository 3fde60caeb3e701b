// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxIO
import Media
import TestSupport
import Testing

/// Returns a pool of small memory frames.
func makePool(_ count: Int, wake: WakeSignal) throws -> FramePool {
    let size = Dimensions(width: 16, height: 16)
    let description = try #require(FrameDescription(.xrgb, size))
    let buffers = try (0..<count).map { _ in [try FrameBuffer.memory(16 * 16 * 4)] }
    return FramePool(description: description, buffers: buffers, wake: wake)
}

func info(_ sequence: UInt32) -> FrameInfo {
    FrameInfo(timestamp: Int64(sequence) * 1000, sequence: sequence, bytesUsed: 1024)
}

@Suite("Frame handoff")
struct FrameHandoffTests {
    @Test("the end of the last lease returns the slot, the end of an earlier one does not")
    func lastLease() throws {
        let pool = try makePool(3, wake: WakeSignal())
        var first: FrameLease? = pool.lend(1, info(1))
        var second: FrameLease? = first?.another()
        first = nil
        #expect(pool.takeReturned(starving: false) == 0)
        #expect(second?.info.sequence == 1)
        second = nil
        #expect(pool.takeReturned(starving: false) == 0b10)
        #expect(pool.takeReturned(starving: false) == 0)
    }

    @Test("a copy has its own memory, and the raw frame only if asked for")
    func copies() throws {
        let pool = try makePool(1, wake: WakeSignal())
        var frame = DequeuedFrame(index: 0, info: info(7), isDamaged: false)
        frame.raw = RawFrame(
            format: try #require(PixelFormat("RGGB").flatMap { RawPixelFormat($0) }),
            dimensions: pool.slots[0].description.dimensions,
            bytesPerRow: 16, buffer: try FrameBuffer.memory(16 * 16))
        let lease = pool.lend(frame)
        let with = try lease.copied()
        let without = try lease.copied(withRaw: false)
        #expect(with.slot.raw != nil && without.slot.raw == nil)
        #expect(with.slot.raw !== lease.slot.raw && with.slot !== lease.slot)
        #expect(without.info.sequence == 7)
    }

    @Test("a full handoff returns the older frame")
    func newestWins() throws {
        let wake = try WakeSignal()
        let pool = try makePool(3, wake: wake)
        let handoff = FrameHandoff { wake.signal() }
        for index in 0..<3 { handoff.put(pool.lend(index, info(UInt32(index)))) }
        #expect(handoff.framesReplaced == 2)
        #expect(pool.takeReturned(starving: false) == 0b011)
        let taken = handoff.take()
        #expect(taken?.info.sequence == 2)
        #expect(!handoff.isWaiting)
        if let second = handoff.take() { Issue.record("frame \(second.info.sequence) came twice") }
    }

    @Test("a handoff that ends returns its frame")
    func endOfHandoff() throws {
        let wake = try WakeSignal()
        let pool = try makePool(1, wake: wake)
        var handoff: FrameHandoff? = FrameHandoff { wake.signal() }
        handoff?.put(pool.lend(0, info(1)))
        handoff = nil
        #expect(pool.takeReturned(starving: false) == 1)
    }

    @Test("a returned frame wakes a starving camera, and not a fed one")
    func starvation() throws {
        let wake = try WakeSignal()
        let poller = try Poller()
        try poller.add(wake, tag: 7)
        let pool = try makePool(1, wake: wake)
        _ = pool.takeReturned(starving: false)
        do { _ = pool.lend(0, info(1)) }
        #expect(poller.wait(milliseconds: 0) == nil)
        _ = pool.takeReturned(starving: true)
        do { _ = pool.lend(0, info(2)) }
        #expect(poller.waitForEvent()?.tag == 7)
    }

    @Test("a lease may outlive its pool")
    func lateLease() throws {
        var pool: FramePool? = try makePool(1, wake: WakeSignal())
        let late = try #require(pool).lend(0, info(3))
        pool = nil
        #expect(late.info.sequence == 3)
    }

    @Test("two threads exchange frames in order, and none is lost")
    func twoThreads() async throws {
        let wake = try WakeSignal()
        let pool = try makePool(6, wake: wake)
        let handoff = FrameHandoff { wake.signal() }
        let rounds = 20_000
        let consumer = NamedThread("consumer") {
            guard let poller = try? Poller(), (try? poller.add(wake, tag: 0)) != nil else { return }
            var last: UInt32 = 0
            while last < UInt32(rounds) {
                if let lease = handoff.take() {
                    precondition(lease.info.sequence > last, "frames went backwards")
                    last = lease.info.sequence
                } else {
                    _ = poller.wait(milliseconds: 100)
                }
            }
        }
        var free: UInt64 = 0b111111
        var sequence: UInt32 = 0
        while sequence < UInt32(rounds) {
            free |= pool.takeReturned(starving: false)
            guard free != 0 else { continue }
            let index = free.trailingZeroBitCount
            free &= free - 1
            sequence += 1
            handoff.put(pool.lend(index, info(sequence)))
        }
        await consumer.join()
        free |= pool.takeReturned(starving: false)
        #expect(free == 0b111111)
    }
}
