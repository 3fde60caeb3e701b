// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Media
internal import Synchronization

/// An event on a camera's thread. Events are sent in order.
enum CameraEvent: Sendable {
    case started(RunningStream, generation: Int)
    /// The stream broke or could not begin. The loop tries again by itself.
    case interrupted(CaptureError, generation: Int)
    /// The loop has no plan any more and has closed the device.
    case stopped(generation: Int)
}

/// Orders from the session to the camera's thread.
final class CameraMailbox: Sendable {
    enum Order: Sendable {
        case rest
        case stream(StreamPlan)
        case end
    }
    let wake: WakeSignal
    let idle: Poller
    private let state = Mutex<(order: Order, generation: Int)>((.rest, 0))
    /// The newest order's generation, which the loop reads without taking the lock.
    private let latest = Atomic<Int>(0)

    init() throws(SystemCallError) {
        wake = try WakeSignal()
        idle = try Poller.watching(wake)
    }

    /// - Returns: the generation that events about this order carry.
    func post(_ order: Order) -> Int {
        let generation = state.withLock { state in
            state = (order, state.generation + 1)
            // Store within the lock: a reader of the order must find its generation current.
            latest.store(state.generation, ordering: .releasing)
            return state.generation
        }
        wake.signal()
        return generation
    }

    func read() -> (order: Order, generation: Int) { state.withLock { $0 } }
    /// Returns the current plan and its generation, if an order to stream replaced `generation`.
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

/// The loop of one camera's thread: opens the camera, streams, and recovers from every failure.
///
///     rest ──stream──▶ opening ──▶ streaming ──no good frame for 1 s──▶ restarted (off/on)
///       ▲                 ▲            │                                    │ three times in a row
///       └──── rest ───────┴─ 1 s or ◀──┴──────── error, unplugged ◀─────────┘
///                            hotplug
///
/// The wait for the first frame doubles with each restart. Frames that are far apart get more time.
struct CameraLoop: ~Copyable {
    private static let retryMilliseconds: Int32 = 1000
    /// The longest sleep between heartbeats, far below the limit for a hanging thread; nanoseconds.
    private static let longestSleep: Int64 = 2_000_000_000
    /// The longest time that an H.264 camera may send only unshowable frames; nanoseconds.
    private static let longestBlindness: Int64 = 15_000_000_000
    private static let wakeTag: UInt64 = 0
    private static let frameTag: UInt64 = 1
    private static let silenceTag: UInt64 = 2

    private let mailbox: CameraMailbox
    private let statistics: CaptureStatistics
    private let callGuard: BlockingCallGuard
    private let estate: CameraThreadState
    private let emit: @Sendable (CameraEvent) -> Void

    init(
        mailbox: CameraMailbox, statistics: CaptureStatistics, callGuard: BlockingCallGuard,
        estate: CameraThreadState, emit: @escaping @Sendable (CameraEvent) -> Void
    ) {
        self.mailbox = mailbox
        self.statistics = statistics
        self.callGuard = callGuard
        self.estate = estate
        self.emit = emit
    }

    /// Runs until ordered to end, or until the thread is abandoned.
    func run() {
        defer { if !callGuard.isAbandoned { statistics.rested() } }
        inherit()
        while true {
            let (order, ordered) = mailbox.read()
            var generation = ordered
            switch consume order {
            case .end:
                notifyStopped()
                emit(.stopped(generation: generation))
                return
            case .rest:
                notifyStopped()
                emit(.stopped(generation: generation))
                statistics.rested()
                while mailbox.isCurrent(generation) {
                    guard performBlocking({ _ = mailbox.idle.wait() }) else { return }
                }
            case .stream(let plan):
                statistics.moved()
                do throws(CaptureError) {
                    try stream(consume plan, &generation)
                } catch {
                    if callGuard.isAbandoned { return }
                    notifyStopped()
                    emit(.interrupted(error, generation: generation))
                    // A hotplug event ends the wait early.
                    if mailbox.isCurrent(generation) {
                        guard
                            performBlocking({
                                _ = mailbox.idle.wait(milliseconds: Self.retryMilliseconds)
                            })
                        else { return }
                    }
                }
            }
        }
    }

    /// Takes over from an abandoned thread: tells its outputs that the stream has stopped.
    private func inherit() {
        for output in estate.outputs { output.streamDidStop(willRestart: true) }
        estate.awaitingRestart += estate.outputs
        estate.outputs = []
    }

    /// Runs `body`, which may block forever. Returns `false` if the thread was abandoned meanwhile.
    private func performBlocking(_ body: () -> Void) -> Bool {
        callGuard.enter()
        body()
        if callGuard.leave() { return true }
        // The successor needs the signal that ended `body`.
        mailbox.wake.signal()
        return false
    }

    private func open(_ plan: StreamPlan) throws(CaptureError) -> (any CameraDriver, GuardedCamera)
    {
        let driver = try performBlocking { () throws(CaptureError) in try plan.input.device.find() }
        statistics.moved()
        let camera = try performBlocking { () throws(CaptureError) in try driver.open() }
        statistics.moved()
        estate.camera = camera
        return (driver, GuardedCamera(camera, callGuard, statistics))
    }

    private func performBlocking<Value>(
        _ body: () throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        var result: Result<Value, CaptureError>?
        let isOurs = performBlocking { result = Result(catching: body) }
        guard isOurs, let result else { throw Self.givenUp }
        return try result.get()
    }

    private static var givenUp: CaptureError { CaptureError(.stalled, "the thread was abandoned") }

    /// Streams until an order comes that this stream cannot adopt, or until the source changes.
    /// Only the audience keeps `plan` after the start, so that removed outputs are released. Each
    /// later order that the stream adopts replaces `generation`.
    private func stream(
        _ plan: consuming StreamPlan, _ generation: inout Int
    ) throws(CaptureError) {
        let (driver, camera) = try open(plan)
        defer {
            camera.stop()
            if !callGuard.isAbandoned { estate.camera = nil }
        }
        var (queue, running) = try StreamNegotiation(
            plan: copy plan, camera: camera, driver: driver, wake: mailbox.wake,
            statistics: statistics
        ).run()
        var audience = StreamOutputs(consume plan, generation, of: running)
        estate.outputs = audience.outputs
        notifyStopped(but: audience.outputs)
        var progress = StreamProgress(
            frameInterval: running.stream.frameInterval, at: Clock.monotonic)
        defer {
            if !callGuard.isAbandoned { leave(audience, comesAgain: progress.sourceHasChanged) }
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

    private func begin(_ audience: StreamOutputs) {
        emit(.started(audience.running, generation: audience.generation))
    }

    /// Tells all outputs that the stream has ended, and which of them the next stream will serve.
    /// If `comesAgain`, the same plan's next stream is about to begin.
    private func leave(_ audience: StreamOutputs, comesAgain: Bool) {
        let outputs = audience.outputs
        let next = mailbox.plan(after: audience.generation)?.plan
        let awaitingRestart = outputs.filter { output in
            next.map { $0.connection(with: output) != nil } ?? comesAgain
        }
        for output in outputs {
            output.streamDidStop(willRestart: awaitingRestart.contains { $0 === output })
        }
        (estate.outputs, estate.awaitingRestart) = ([], awaitingRestart)
    }

    /// Tells outputs that wait for a restart, except those already started, that it does not come.
    private func notifyStopped(but started: [any CaptureOutput] = []) {
        for output in estate.awaitingRestart where !started.contains(where: { $0 === output }) {
            output.streamDidStop(willRestart: false)
        }
        estate.awaitingRestart = []
    }

    /// Moves frames until a new order arrives or the source changes.
    private func pump(
        _ audience: StreamOutputs, _ queue: inout DriverQueue, _ progress: inout StreamProgress
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
            guard performBlocking({ event = poller.wait() }) else {
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
                // After a suspension the timer may be reported before a frame that is ready.
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

    /// Passes the next frame to the outputs, unless it is damaged. Returns whether there was one.
    private func deliver(
        _ queue: inout DriverQueue, to audience: StreamOutputs, _ progress: inout StreamProgress,
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
            // Sequence numbers wrap; a large step means that the driver's counter restarted.
            let gap = frame.info.sequence &- previous
            if gap > 1 && gap < 1000 {
                statistics.droppedByDriver.add(Int(gap) - 1, ordering: .relaxed)
            }
        }
        history.sequence = frame.info.sequence
    }
}
