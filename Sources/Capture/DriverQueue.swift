// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media

/// The frames that a stream's camera has to fill. Camera thread.
struct DriverQueue {
    let camera: GuardedCamera
    let pool: FramePool
    /// One bit per queued slot.
    private var queued: UInt64 = 0

    init(_ camera: GuardedCamera, _ pool: FramePool) {
        self.camera = camera
        self.pool = pool
    }

    /// Whether the camera may deliver nothing without another frame: some drivers hold one back.
    var isStarving: Bool { queued.nonzeroBitCount < 2 }

    mutating func start() throws(SystemCallError) {
        for slot in pool.slots { try give(slot.index) }
        try camera.start()
    }

    mutating func give(_ index: Int) throws(SystemCallError) {
        try camera.queue(pool.slots[index])
        queued |= 1 << UInt64(index)
    }

    mutating func take() throws(SystemCallError) -> DequeuedFrame? {
        guard var frame = try camera.dequeue() else { return nil }
        queued &= ~(1 << UInt64(frame.index))
        if pool.description.pixelFormat.isCompressed, !frame.isDamaged {
            frame.isDamaged = !isWhole(frame)
        }
        return frame
    }

    /// Whether a compressed frame is complete. USB cameras deliver truncated or garbage JPEGs
    /// without an error flag. Checking both ends is cheap, and a photo takes the nearest complete
    /// frame. A camera that sends only incomplete frames has stalled, because neither screen nor
    /// photos could use them.
    private func isWhole(_ frame: DequeuedFrame) -> Bool {
        let buffer = pool.slots[frame.index].buffers[0]
        let count = min(frame.info.bytesUsed, buffer.size)
        let ends = try? unsafe buffer.withBytes(.read) {
            unsafe JPEGEnds(UnsafeRawBufferPointer(start: $0, count: count))
        }
        // The decoder judges a frame that cannot be read here.
        return ends == nil || ends == .whole
    }

    /// Queues the frames that their users have returned.
    mutating func refill() throws(SystemCallError) {
        try giveAll(pool.takeReturned(starving: isStarving))
    }

    /// Restarts the stream; leased frames stay leased.
    mutating func restart() throws(SystemCallError) {
        try camera.pause()
        let slots = queued
        queued = 0
        try giveAll(slots)
        try camera.start()
    }

    private mutating func giveAll(_ slots: UInt64) throws(SystemCallError) {
        var slots = slots
        while slots != 0 {
            try give(slots.trailingZeroBitCount)
            slots &= slots - 1
        }
    }
}
