// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media

/// A session that connects inputs to outputs (AVCaptureSession).
///
/// A session has one camera and one microphone at a time. The actor decides; the camera's thread
/// carries the frames.
public actor CaptureSession {
    /// A change of a running session. Notifications are sent in order.
    public enum Notification: Sendable {
        case didStartRunning(RunningStream)
        case didStopRunning
        /// The camera is gone or broken; the session resumes by itself when the camera returns.
        /// Sent again when the reason changes, and for each new configuration.
        case wasInterrupted(CaptureError)
        case interruptionEnded(RunningStream)
        /// The configuration does not work with this camera. No frames come until one of the two is
        /// changed, which restarts the session.
        case runtimeError(CaptureError)
    }

    /// Whether frames come. `running` begins with the first good frame. `interrupted` lasts until
    /// frames come or the session is stopped; the session keeps trying the camera.
    public enum State: String, Sendable {
        case stopped, starting, running, interrupted
    }

    /// The configuration set by ``configure(_:)``. The camera may lag behind it: see ``running``.
    public private(set) var configuration = Configuration()
    /// The state; initially `stopped`. Every change is notified, except that to `starting`.
    public private(set) var state = State.stopped
    /// The running stream, or `nil`. Its preview paths may change while it runs.
    public var running: RunningStream? { current?.stream }
    /// The counters of all the session's streams since it was made. Any thread.
    public nonisolated let statistics = CaptureStatistics()

    private let mailbox: CameraMailbox
    private var generation = 0
    private var agreement = DisplayAgreement()
    /// The plan last sent to the camera's thread; ``current`` holds the one that is running.
    private var askedPlan: StreamPlan?
    private var current: (stream: RunningStream, plan: StreamPlan)?
    private var wantsRunning = false
    /// Whether the camera's thread has yet to answer the last order.
    private var isPending = false
    private var isClosed = false
    /// The reason, as last notified, why no frames come; `nil` while they come.
    private var interruption: CaptureError.Code?
    /// Removed previews whose displays may still show frames.
    private var removedPreviews: [PreviewOutput] = []
    /// Whether the configuration has changed since the last interruption; the next one is then
    /// notified even if its reason is the same.
    private var hasNewConfiguration = false
    private var waiters: [CheckedContinuation<Result<RunningStream?, CaptureError>, Never>] = []
    private var observers: [Int: AsyncStream<Notification>.Continuation] = [:]
    private var nextObserver = 0
    private var thread: CameraThread
    /// Abandoned threads that their driver still blocks.
    private var blocked = BlockedThreads()

    /// - Throws: only when the process is out of descriptors.
    public init() throws(SystemCallError) {
        mailbox = try CameraMailbox()
        let (events, continuation) = AsyncStream.makeStream(of: CameraEvent.self)
        thread = CameraThread(mailbox, statistics, continuation)
        Task { [weak self] in
            for await event in events { await self?.handle(event) }
        }
    }

    deinit {
        _ = mailbox.post(.end)
        for observer in observers.values { observer.finish() }
    }

    /// Returns the notifications from now on. Dropping the sequence or ``close()`` ends it.
    public func notifications() -> AsyncStream<Notification> {
        let identifier = nextObserver
        nextObserver += 1
        let (stream, continuation) = AsyncStream.makeStream(of: Notification.self)
        if isClosed { continuation.finish() } else { observers[identifier] = continuation }
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeObserver(identifier) }
        }
        return stream
    }

    private func removeObserver(_ identifier: Int) { observers[identifier] = nil }

    private func notify(_ notification: Notification) {
        for observer in observers.values { observer.yield(notification) }
    }

    /// Changes the configuration as a whole. Nothing changes if `body` throws, or if the running
    /// camera lacks the requested format (``CaptureError/Code/unsupported``). A preset that the
    /// camera lacks falls back to ``Preset/high``: ask ``canSetSessionPreset(_:)`` first.
    ///
    /// A running session switches to the new configuration while previews keep their last picture.
    /// If only outputs other than previews change, and memory for their frames suffices, the
    /// remaining outputs miss no frame. While a movie is recorded, outputs change without a new
    /// stream in any case.
    public func configure(
        _ body: (inout Configuration) throws -> Void
    ) throws {
        var changed = configuration
        try body(&changed)
        try requireFormat(of: changed)
        connectSound(from: configuration, to: changed)
        removedPreviews += configuration.previews.filter { changed.connection(with: $0) == nil }
        configuration = changed
        hasNewConfiguration = true
        if wantsRunning {
            post()
        } else if state == .stopped {
            disconnectRemoved()
        }
    }

    /// Throws if the running camera lacks the requested format, so that the stream continues.
    private func requireFormat(of changed: Configuration) throws(CaptureError) {
        guard wantsRunning, let (stream, plan) = current, let input = changed.input,
            input.device === plan.input.device, !input.isSame(as: plan.input)
        else { return }
        let choice = input.choice(changed.preset)
        if !choice.isThere(in: stream.formats) {
            throw choice.refusal(by: stream.identity, stream.formats)
        }
    }

    /// Clears the displays of removed previews, except those that another preview uses.
    private func disconnectRemoved() {
        for removed in removedPreviews
        where !configuration.previews.contains(where: { $0.target === removed.target }) {
            removed.target.disconnect()
        }
        removedPreviews = []
    }

    private func connectSound(from old: Configuration, to new: Configuration) {
        let microphone = new.audioInput?.device.microphone
        let isSame = old.audioInput?.device.microphone === microphone
        for output in new.outputs where !isSame || old.connection(with: output) == nil {
            output.soundSourceDidChange(microphone)
        }
        for output in old.outputs where new.connection(with: output) == nil {
            output.soundSourceDidChange(nil)
        }
    }

    /// Returns whether the camera has what the preset asks for, without falling back. Drivers may
    /// take long to answer; the session handles other calls meanwhile.
    public func canSetSessionPreset(_ preset: Preset) async -> Bool {
        guard let input = configuration.input else { return false }
        let formats = (try? await input.device.search())?.formats
        return input.choice(preset).isSatisfiable(formats ?? [])
    }

    /// Starts the session and returns with the first good frame. Throws the reason why no frames
    /// come yet, at once if the session has no camera. The session keeps trying until
    /// ``stopRunning()``, also with a camera that is added later.
    @discardableResult
    public func startRunning() async throws(CaptureError) -> RunningStream {
        if isClosed { throw CaptureError(.invalidConfiguration, "the session is closed") }
        if wantsRunning, !isPending, let running { return running }
        // A session that is being stopped starts again from the beginning.
        let isUnderWay = wantsRunning && isPending && state != .interrupted
        if !wantsRunning { current = nil }
        wantsRunning = true
        guard configuration.input != nil else {
            throw CaptureError(.invalidConfiguration, "the session has no camera")
        }
        if !isUnderWay { post() }
        let result = await withCheckedContinuation { waiters.append($0) }
        guard let running = try result.get() else {
            throw CaptureError(.failed, "the session was stopped before it had started")
        }
        return running
    }

    /// Stops the session and returns when the camera is closed.
    public func stopRunning() async {
        guard wantsRunning || state != .stopped else { return }
        wantsRunning = false
        // A concurrent `close()` has sent its order already: wait for its answer.
        if !isClosed {
            // A start before the camera is closed must not continue the present stream.
            agreement.raise(for: nil)
            generation = mailbox.post(.rest)
        }
        _ = await withCheckedContinuation { waiters.append($0) }
    }

    /// Ends the camera's thread; the session cannot be used again. A second call returns at once.
    public func close() async {
        if isClosed { return }
        isClosed = true
        wantsRunning = false
        generation = mailbox.post(.end)
        // A successor may answer, if the present thread must be replaced first.
        _ = await withCheckedContinuation { waiters.append($0) }
        for preview in configuration.previews { preview.target.disconnect() }
        for observer in observers.values { observer.finish() }
        observers = [:]
    }

    /// Makes an interrupted session look for its camera at once, because a device was plugged in.
    public func deviceAppeared() {
        if state == .interrupted { mailbox.wake.signal() }
    }

    /// Negotiates memory and preview paths again, because the display of `preview` (`nil`: any
    /// display) has changed. While an output must not be interrupted
    /// (``CaptureOutput/mustNotBeInterrupted``), the stream continues instead: this display shows
    /// it as it can, and others stay as they are.
    public func renegotiate(for preview: PreviewOutput? = nil) {
        agreement.raise(for: preview)
        if wantsRunning { post() }
    }

    /// Returns whether the camera's thread has work but made no progress for `limit`. Never waits.
    public nonisolated func isThreadHanging(for limit: Duration = .seconds(15)) -> Bool {
        guard let last = statistics.lastHeartbeat else { return false }
        return .nanoseconds(Clock.monotonic - last) > limit
    }

    /// Replaces a camera's thread that its driver has blocked for `limit`. The new thread opens the
    /// camera again as soon as the driver allows it. Returns `false` if no thread hangs, if it
    /// hangs in our own code, or if three are blocked already: then only a new process helps.
    @discardableResult
    public func replaceHangingThread(after limit: Duration = .seconds(15)) -> Bool {
        guard isThreadHanging(for: limit) else { return false }
        guard blocked.count() < BlockedThreads.maximum, let successor = thread.replaced() else {
            return false
        }
        blocked.append(thread.thread)
        thread = successor
        if wantsRunning {
            let error = CaptureError(.stalled, "the camera's driver does not answer")
            handle(.interrupted(error, generation: generation))
        }
        return true
    }

    private func post() {
        guard let input = configuration.input else {
            current = nil
            generation = mailbox.post(.rest)
            return
        }
        let plan = StreamPlan(
            input: input, preset: configuration.preset, connections: configuration.connections,
            agreement: agreement)
        if current?.plan.isForSameCamera(as: plan) != true {
            if state != .interrupted { state = .starting }
            current = nil
        }
        (askedPlan, isPending) = (plan, true)
        generation = mailbox.post(.stream(plan))
    }

    private func handle(_ event: CameraEvent) {
        switch event {
        case .started(let stream, let generation) where generation == self.generation:
            state = .running
            current = askedPlan.map { (stream, $0) }
            isPending = false
            let wasInterrupted = interruption != nil && interruption != .unsupported
            notify(wasInterrupted ? .interruptionEnded(stream) : .didStartRunning(stream))
            interruption = nil
            resume(.success(stream))
        case .interrupted(let error, let generation) where generation == self.generation:
            state = .interrupted
            current = nil
            isPending = false
            if error.code != interruption || hasNewConfiguration {
                notify(error.code == .unsupported ? .runtimeError(error) : .wasInterrupted(error))
            }
            interruption = error.code
            hasNewConfiguration = false
            resume(.failure(error))
        case .stopped(let generation) where generation == self.generation:
            let wasStopped = state == .stopped
            state = .stopped
            (current, askedPlan) = (nil, nil)
            isPending = false
            interruption = nil
            if !wasStopped { notify(.didStopRunning) }
            resume(.success(nil))
        default:
            break  // an event of a replaced order
        }
    }

    private func resume(_ result: Result<RunningStream?, CaptureError>) {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume(returning: result) }
        disconnectRemoved()
    }
}
