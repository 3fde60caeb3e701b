// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Media
internal import Synchronization

/// What happens on a camera's thread, in order.
enum CameraEvent: Sendable {
    case started(RunningStream, generation: Int)
    /// The stream broke or could not begin. The loop tries again by itself.
    case interrupted(CaptureError, generation: Int)
    /// The plan was taken away; the device is closed.
    case stopped(generation: Int)
}

/// What the session wants of the camera's thread.
final class CameraMailbox: Sendable {
    enum Order: Sendable {
        case rest
        case stream(StreamPlan)
        case end
    }
    let wake: WakeSignal
    private let state = Mutex<(order: Order, generation: Int)>((.rest, 0))
    /// Changes with each order, so that the loop need not take the lock to see that there is none.
    private let latest = Atomic<Int>(0)

    init() throws(SystemCallError) { wake = try WakeSignal() }

    /// - Returns: the generation that events about this order carry.
    func post(_ order: Order) -> Int {
        let generation = state.withLock { state in
            state = (order, state.generation + 1)
            // Within the lock: who reads an order must find it current.
            latest.store(state.generation, ordering: .releasing)
            return state.generation
        }
        wake.signal()
        return generation
    }

    func read() -> (order: Order, generation: Int) { state.withLock { $0 } }
    func isCurrent(_ generation: Int) -> Bool { latest.load(ordering: .acquiring) == generation }
}

/// One camera's thread: opens it, streams, and comes back after whatever happens to it.
///
///     rest ──stream──▶ opening ──▶ streaming ──no frame for 1 s──▶ restarted (off/on)
///       ▲                 ▲            │                               │ three times in a row
///       └──── rest ───────┴─ 1 s or ◀──┴──────── error, unplugged ◀────┘
///                            hotplug
struct CameraLoop: ~Copyable {
    private static let retryMilliseconds: Int32 = 1000
    private static let stallMilliseconds: Int32 = 1000
    private static let stallsBeforeReopening = 3
    private static let wakeTag: UInt64 = 0
    private static let frameTag: UInt64 = 1

    private let mailbox: CameraMailbox
    private let statistics: CaptureStatistics
    private let emit: @Sendable (CameraEvent) -> Void

    init(
        mailbox: CameraMailbox, statistics: CaptureStatistics,
        emit: @escaping @Sendable (CameraEvent) -> Void
    ) {
        self.mailbox = mailbox
        self.statistics = statistics
        self.emit = emit
    }

    /// Runs until told to end.
    mutating func run() throws(SystemCallError) {
        let idle = try Poller()
        try idle.add(mailbox.wake, tag: Self.wakeTag)
        while true {
            let (order, generation) = mailbox.read()
            switch order {
            case .end:
                emit(.stopped(generation: generation))
                return
            case .rest:
                emit(.stopped(generation: generation))
                while mailbox.isCurrent(generation) { _ = idle.wait() }
            case .stream(let plan):
                do throws(CaptureError) {
                    try stream(plan, generation)
                } catch {
                    emit(.interrupted(error, generation: generation))
                    // A hotplug wakes it early.
                    if mailbox.isCurrent(generation) {
                        _ = idle.wait(milliseconds: Self.retryMilliseconds)
                    }
                }
            }
        }
    }

    private func stream(_ plan: StreamPlan, _ generation: Int) throws(CaptureError) {
        let driver = try plan.input.device.find()
        let camera = try driver.open()
        defer { camera.stop() }
        var negotiation = StreamNegotiation(
            plan: plan, camera: camera, identity: driver.identity, wake: mailbox.wake)
        let (pool, running) = try negotiation.run(driver.formats)
        let outputs = plan.connections.map(\.output)
        for connection in plan.connections {
            connection.output.streamDidStart(running.stream, on: connection)
        }
        defer { for output in outputs { output.streamDidStop() } }
        do throws(SystemCallError) {
            var queue = DriverQueue(camera, pool)
            for slot in pool.slots { try queue.give(slot.index) }
            try camera.start()
            emit(.started(running, generation: generation))
            try pump(outputs, &queue, generation)
        } catch {
            throw CaptureError(driver.identity.name, error)
        }
    }

    /// Moves frames until there is a new order.
    private func pump(
        _ outputs: [any CaptureOutput], _ queue: inout DriverQueue, _ generation: Int
    ) throws(SystemCallError) {
        let poller = try Poller()
        try poller.add(mailbox.wake, tag: Self.wakeTag)
        try poller.add(queue.camera.readyDescriptor, tag: Self.frameTag)
        var stalls = 0
        var lastSequence: UInt32?
        while mailbox.isCurrent(generation) {
            let event = poller.wait(milliseconds: Self.stallMilliseconds)
            if let event, event.tag == Self.frameTag {
                if let frame = try queue.take() {
                    stalls = 0
                    count(frame, after: &lastSequence)
                    if frame.isDamaged {
                        try queue.give(frame.index)
                    } else {
                        let lease = queue.pool.lend(frame.index, frame.info)
                        for output in outputs { output.receive(lease, from: queue.camera) }
                    }
                } else if !event.readiness.isDisjoint(with: [.error, .hangup]) {
                    // POLLERR without a frame: the stream has stopped (vb2_core_poll).
                    throw SystemCallError(call: "VIDIOC_DQBUF", code: EIO)
                }
            } else if event == nil, !queue.isEmpty {
                stalls += 1
                if stalls > Self.stallsBeforeReopening {
                    throw SystemCallError(call: "waiting for a frame", code: ETIMEDOUT)
                }
                statistics.restarts.add(1, ordering: .relaxed)
                try queue.restart()
            }
            try queue.refill()
        }
    }

    private func count(_ frame: DequeuedFrame, after last: inout UInt32?) {
        statistics.captured.add(1, ordering: .relaxed)
        statistics.lastTimestamp.store(frame.info.timestamp, ordering: .relaxed)
        if frame.isDamaged { statistics.damaged.add(1, ordering: .relaxed) }
        if let previous = last {
            // Sequence numbers wrap; a large step is a driver that started anew.
            let gap = frame.info.sequence &- previous
            if gap > 1 && gap < 1000 {
                statistics.droppedByDriver.add(Int(gap) - 1, ordering: .relaxed)
            }
        }
        last = frame.info.sequence
    }
}

/// Which frames the camera has to fill.
private struct DriverQueue {
    let camera: any CameraStream
    let pool: FramePool
    /// One bit a slot.
    private var queued: UInt64 = 0

    init(_ camera: any CameraStream, _ pool: FramePool) {
        self.camera = camera
        self.pool = pool
    }

    var isEmpty: Bool { queued == 0 }

    mutating func give(_ index: Int) throws(SystemCallError) {
        try camera.queue(pool.slots[index])
        queued |= 1 << UInt64(index)
    }

    mutating func take() throws(SystemCallError) -> DequeuedFrame? {
        guard let frame = try camera.dequeue() else { return nil }
        queued &= ~(1 << UInt64(frame.index))
        return frame
    }

    /// Queues what the users of earlier frames have given back.
    mutating func refill() throws(SystemCallError) {
        try giveAll(pool.takeReturned(starving: isEmpty))
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
