// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media

/// Which of a stream's frames the camera has to fill. Camera thread.
struct DriverQueue {
    let camera: GuardedCamera
    let pool: FramePool
    /// One bit a slot.
    private var queued: UInt64 = 0

    init(_ camera: GuardedCamera, _ pool: FramePool) {
        self.camera = camera
        self.pool = pool
    }

    /// Whether nothing more may come without another frame to fill: some drivers keep their last one.
    var isStarving: Bool { queued.nonzeroBitCount < 2 }

    /// Gives the camera every frame and starts it.
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

    /// USB cameras deliver frames that are cut short or garbage without a word. The look at their ends
    /// costs nothing, and the photo becomes the nearest frame that is one. A camera that sends nothing else
    /// has stalled: neither screen nor photos could use it.
    private func isWhole(_ frame: DequeuedFrame) -> Bool {
        let buffer = pool.slots[frame.index].buffers[0]
        let count = min(frame.info.bytesUsed, buffer.size)
        let ends = try? unsafe buffer.withBytes(.read) {
            unsafe JPEGEnds(UnsafeRawBufferPointer(start: $0, count: count))
        }
        // What cannot be looked at now is for the decoder to judge.
        return ends == nil || ends == .whole
    }

    /// Queues what the users of earlier frames have given back.
    mutating func refill() throws(SystemCallError) {
        try giveAll(pool.takeReturned(starving: isStarving))
    }

    /// Stream off and on again, the frames that are lent out left alone.
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
