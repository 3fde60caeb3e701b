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
    /// Wakes up with ``wake``.
    let idle: Poller
    private let state = Mutex<(order: Order, generation: Int)>((.rest, 0))
    /// Changes with each order, so that the loop need not take the lock to see that there is none.
    private let latest = Atomic<Int>(0)

    init() throws(SystemCallError) {
        wake = try WakeSignal()
        idle = try Poller.watching(wake)
    }

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
    /// The plan of the order that has replaced this one, and its generation, if that is for a stream as well.
    func plan(after generation: Int) -> (plan: StreamPlan, generation: Int)? {
        state.withLock { state in
            guard state.generation != generation, case .stream(let plan) = state.order else {
                return nil
            }
            return (plan, state.generation)
        }
    }
    func isCurrent(_ generation: Int) -> Bool { latest.load(ordering: .acquiring) == generation }
}

/// One camera's thread: opens it, streams, and comes back after whatever happens to it.
///
///     rest ──stream──▶ opening ──▶ streaming ──no good frame for 1 s──▶ restarted (off/on)
///       ▲                 ▲            │                                    │ three times in a row
///       └──── rest ───────┴─ 1 s or ◀──┴──────── error, unplugged ◀─────────┘
///                            hotplug
///
/// The first frame is waited for twice as long each time, and frames that are far apart for longer.
struct CameraLoop: ~Copyable {
    private static let retryMilliseconds: Int32 = 1000
    /// Far less than a thread that hangs is waited for.
    private static let longestSleep: Int64 = 2_000_000_000
    /// Longer a camera that compresses by itself does not go without a picture that stands for itself.
    private static let longestBlindness: Int64 = 15_000_000_000
    private static let wakeTag: UInt64 = 0
    private static let frameTag: UInt64 = 1
    private static let silenceTag: UInt64 = 2

    private let mailbox: CameraMailbox
    private let statistics: CaptureStatistics
    private let boundary: KernelBoundary
    private let estate: CameraEstate
    private let emit: @Sendable (CameraEvent) -> Void

    init(
        mailbox: CameraMailbox, statistics: CaptureStatistics, boundary: KernelBoundary,
        estate: CameraEstate, emit: @escaping @Sendable (CameraEvent) -> Void
    ) {
        self.mailbox = mailbox
        self.statistics = statistics
        self.boundary = boundary
        self.estate = estate
        self.emit = emit
    }

    /// Runs until told to end, or given up.
    func run() {
        defer { if !boundary.isAbandoned { statistics.rested() } }
        inherit()
        while true {
            let (order, ordered) = mailbox.read()
            var generation = ordered
            switch consume order {
            case .end:
                disappoint()
                emit(.stopped(generation: generation))
                return
            case .rest:
                disappoint()
                emit(.stopped(generation: generation))
                statistics.rested()
                while mailbox.isCurrent(generation) {
                    guard stays({ _ = mailbox.idle.wait() }) else { return }
                }
            case .stream(let plan):
                statistics.moved()
                do throws(CaptureError) {
                    try stream(consume plan, &generation)
                } catch {
                    if boundary.isAbandoned { return }
                    disappoint()
                    emit(.interrupted(error, generation: generation))
                    // A hotplug wakes it early.
                    if mailbox.isCurrent(generation) {
                        guard
                            stays({
                                _ = mailbox.idle.wait(milliseconds: Self.retryMilliseconds)
                            })
                        else { return }
                    }
                }
            }
        }
    }

    /// Takes over from a thread that was given up: its outputs' stream has stopped.
    private func inherit() {
        for output in estate.outputs { output.streamDidStop(willRestart: true) }
        estate.expectant += estate.outputs
        estate.outputs = []
    }

    /// Runs what may never return.
    ///
    /// - Returns: whether it did before the thread was given up.
    private func stays(_ body: () -> Void) -> Bool {
        boundary.enter()
        body()
        if boundary.leave() { return true }
        // What woke it was for its successor.
        mailbox.wake.signal()
        return false
    }

    /// Finds the plan's camera and opens it.
    private func open(_ plan: StreamPlan) throws(CaptureError) -> (any CameraDriver, GuardedCamera)
    {
        let driver = try stay { () throws(CaptureError) in try plan.input.device.find() }
        statistics.moved()
        let camera = try stay { () throws(CaptureError) in try driver.open() }
        statistics.moved()
        estate.camera = camera
        return (driver, GuardedCamera(camera, boundary, statistics))
    }

    private func stay<Value>(
        _ body: () throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        var result: Result<Value, CaptureError>?
        let isOurs = stays { result = Result(catching: body) }
        guard isOurs, let result else { throw Self.givenUp }
        return try result.get()
    }

    private static var givenUp: CaptureError { CaptureError(.stalled, "the thread was given up") }

    /// - Parameters:
    ///   - plan: this thread keeps it in the audience alone, which lets go of outputs that are removed.
    ///   - generation: of the order; of a later one when the stream went over to that.
    private func stream(
        _ plan: consuming StreamPlan, _ generation: inout Int
    ) throws(CaptureError) {
        let (driver, camera) = try open(plan)
        defer {
            camera.stop()
            if !boundary.isAbandoned { estate.camera = nil }
        }
        var (queue, running) = try StreamNegotiation(
            plan: copy plan, camera: camera, driver: driver, wake: mailbox.wake,
            statistics: statistics
        ).run()
        var audience = StreamAudience(consume plan, generation, of: running)
        estate.outputs = audience.outputs
        disappoint(but: audience.outputs)
        var progress = StreamProgress(
            frameInterval: running.stream.frameInterval, at: Clock.monotonic)
        defer {
            if !boundary.isAbandoned { leave(audience, comesAgain: progress.sourceHasChanged) }
        }
        do throws(SystemCallError) {
            while true {
                try pump(audience, &queue, &progress)
                guard let next = mailbox.plan(after: audience.generation),
                    audience.adopt(next.plan, next.generation, queue.pool)
                else { return }
                generation = audience.generation
                estate.outputs = audience.outputs
                if progress.hasBegun { begin(audience) }
            }
        } catch {
            throw CaptureError(driver.identity.name, error)
        }
    }

    private func begin(_ audience: StreamAudience) {
        emit(.started(audience.running, generation: audience.generation))
    }

    /// The stream has ended; some outputs are in the next one, too.
    ///
    /// - Parameter comesAgain: whether the same plan's next stream is about to begin.
    private func leave(_ audience: StreamAudience, comesAgain: Bool) {
        let outputs = audience.outputs
        let next = mailbox.plan(after: audience.generation)?.plan
        let expectant = outputs.filter { output in
            next.map { $0.connection(with: output) != nil } ?? comesAgain
        }
        for output in outputs {
            output.streamDidStop(willRestart: expectant.contains { $0 === output })
        }
        (estate.outputs, estate.expectant) = ([], expectant)
    }

    /// The stream that some outputs wait for does not come.
    private func disappoint(but started: [any CaptureOutput] = []) {
        for output in estate.expectant where !started.contains(where: { $0 === output }) {
            output.streamDidStop(willRestart: false)
        }
        estate.expectant = []
    }

    /// Moves frames until there is a new order, or another source.
    private func pump(
        _ audience: StreamAudience, _ queue: inout DriverQueue, _ progress: inout StreamProgress
    ) throws(SystemCallError) {
        let poller = try Poller.watching(mailbox.wake, tag: Self.wakeTag)
        try poller.add(
            queue.camera.readyDescriptor, tag: Self.frameTag, for: [.readable, .priority])
        var patience = progress.patience
        let silence = try IdleTimer(limit: patience, longestSleep: Self.longestSleep)
        try poller.add(silence.number, tag: Self.silenceTag)
        statistics.moved()
        while mailbox.isCurrent(audience.generation) {
            var event: Poller.Event?
            guard stays({ event = poller.wait() }) else {
                throw SystemCallError(call: "poll", code: ECANCELED)
            }
            let now = Clock.monotonic
            statistics.moved(at: now)
            if let event, event.tag == Self.frameTag {
                if event.readiness.contains(.priority), try queue.camera.sourceHasChanged() {
                    progress.sourceHasChanged = true
                    return
                }
                if try !deliver(&queue, to: audience, &progress, at: now),
                    !event.readiness.isDisjoint(with: [.error, .hangup])
                {
                    // POLLERR without a frame: the stream has stopped (vb2_core_poll).
                    throw SystemCallError(call: "VIDIOC_DQBUF", code: EIO)
                }
            } else if event?.tag == Self.silenceTag,
                try silence.hasExpired(since: progress.lastGood, limit: patience),
                // Who was away may hear of the time before he hears of a frame.
                try !deliver(&queue, to: audience, &progress, at: now),
                progress.hasStalled(at: now, after: patience)
            {
                if progress.isHopeless {
                    throw SystemCallError(call: "waiting for a frame", code: ETIMEDOUT)
                }
                statistics.restarts.add(1, ordering: .relaxed)
                try queue.restart()
                progress.wasRestarted(at: Clock.monotonic)
            }
            if progress.patience < patience {
                _ = try silence.hasExpired(since: progress.lastGood, limit: progress.patience)
            }
            patience = progress.patience
            try queue.refill()
        }
    }

    /// Hands on what has come.
    ///
    /// - Returns: whether anything had.
    private func deliver(
        _ queue: inout DriverQueue, to audience: StreamAudience, _ progress: inout StreamProgress,
        at now: Int64
    ) throws(SystemCallError) -> Bool {
        guard var frame = try queue.take() else { return false }
        progress.hasDelivered = true
        count(&frame, at: now, after: &progress.history)
        if frame.isDamaged {
            if frame.isUnshowable, now - progress.lastShowable < Self.longestBlindness {
                progress.lastGood = now
            }
            try queue.give(frame.index)
            return true
        }
        progress.frameCame(at: now)
        let lease = queue.pool.lend(frame)
        for output in audience.outputs { output.receive(lease, from: queue.camera) }
        if !progress.hasBegun { begin(audience) }
        progress.hasBegun = true
        return true
    }

    private func count(
        _ frame: inout DequeuedFrame, at now: Int64, after history: inout FrameHistory
    ) {
        let claim = frame.info.timestamp
        frame.info.timestamp = history.clock.time(of: claim, dequeuedAt: now)
        if frame.info.timestamp != claim { statistics.restamped.add(1, ordering: .relaxed) }
        statistics.captured.add(1, ordering: .relaxed)
        if frame.isDamaged { statistics.damaged.add(1, ordering: .relaxed) }
        if let previous = history.sequence {
            // Sequence numbers wrap; a large step is a driver that started anew.
            let gap = frame.info.sequence &- previous
            if gap > 1 && gap < 1000 {
                statistics.droppedByDriver.add(Int(gap) - 1, ordering: .relaxed)
            }
        }
        history.sequence = frame.info.sequence
    }
}
