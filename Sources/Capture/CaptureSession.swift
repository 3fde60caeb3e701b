// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media

/// Inputs, outputs and what lies between them (AVCaptureSession).
///
/// One camera and one microphone at a time. The session decides; the camera's thread carries the frames.
public actor CaptureSession {
    /// What happens to a running session, in order.
    public enum Notification: Sendable {
        case didStartRunning(RunningStream)
        case didStopRunning
        /// The camera is gone or broken; the session comes back by itself when it does. Told again
        /// when the reason changes, and of each configuration.
        case wasInterrupted(CaptureError)
        case interruptionEnded(RunningStream)
        /// The configuration cannot work with this camera: nothing will come before one of the two is
        /// changed, which starts it anew.
        case runtimeError(CaptureError)
    }

    /// Whether frames come: `running` begins with the first good one. `interrupted` lasts until
    /// they come or the session is stopped; the camera is tried again all the while.
    public enum State: String, Sendable {
        case stopped, starting, running, interrupted
    }

    /// As ``configure(_:)`` left it. What the camera does by now, ``running`` tells.
    public private(set) var configuration = Configuration()
    /// `stopped` at first. Notifications tell of each change but that to `starting`.
    public private(set) var state = State.stopped
    /// What runs now; `nil` unless running. Outputs come and go, and displays are looked at anew, while it runs.
    public var running: RunningStream? { current?.stream }
    /// Counts since the session was made, whichever camera and stream it was. Any thread.
    public nonisolated let statistics = CaptureStatistics()

    private let mailbox: CameraMailbox
    private var generation = 0
    private var agreement = DisplayAgreement()
    /// What the camera's thread was told last, and what runs of that.
    private var askedPlan: StreamPlan?
    private var current: (stream: RunningStream, plan: StreamPlan)?
    private var wantsRunning = false
    /// Whether the camera's thread has not done yet what it was told last.
    private var isPending = false
    private var isClosed = false
    /// Why no frames come, as it was told last; `nil` when they do.
    private var interruption: CaptureError.Code?
    /// Taken out of the configuration, and perhaps shown frames still.
    private var removedPreviews: [PreviewOutput] = []
    /// Whether the configuration has changed since then: what stands in its way is told in any case.
    private var hasNewConfiguration = false
    private var waiters: [CheckedContinuation<Result<RunningStream?, CaptureError>, Never>] = []
    private var observers: [Int: AsyncStream<Notification>.Continuation] = [:]
    private var nextObserver = 0
    private var thread: CameraThread
    /// Given up, and not yet let go by their driver.
    private var hanging: [CameraThread] = []
    /// More, and only a new process helps.
    private static let mostHanging = 3

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

    /// What happens from now on. Dropping the sequence ends it, as ``close()`` does.
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

    /// Changes the configuration as a whole: what `body` throws leaves everything as it was, as does a format that the
    /// camera that runs does not have. A running session goes over to the new one, its previews keeping their last
    /// picture meanwhile; where only outputs other than previews come and go, and there is memory for what they hold, the
    /// others miss no frame. While a movie is recorded outputs come and go in any case so. A preset that the camera does
    /// not have falls back to ``Preset/high``; ask ``canSetSessionPreset(_:)`` before.
    ///
    /// - Throws: what `body` throws, and ``CaptureError/Code/unsupported`` for such a format.
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

    /// A camera that runs is not let go for a format that it does not have.
    private func requireFormat(of changed: Configuration) throws(CaptureError) {
        guard wantsRunning, let (stream, plan) = current, let input = changed.input,
            input.device === plan.input.device, !input.isSame(as: plan.input)
        else { return }
        let choice = input.choice(changed.preset)
        if !choice.isThere(in: stream.formats) {
            throw choice.refusal(by: stream.identity, stream.formats)
        }
    }

    /// Takes the last picture off the displays that are no part of the session any more, where none comes behind it.
    private func disconnectRemoved() {
        for removed in removedPreviews
        where !configuration.previews.contains(where: { $0.target === removed.target }) {
            removed.target.disconnect()
        }
        removedPreviews = []
    }

    /// Tells outputs of the microphone that they have now.
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

    /// Whether the camera has what the preset asks for, without falling back. Looks for it, which takes
    /// as long as drivers take to answer; the session does other things meanwhile.
    public func canSetSessionPreset(_ preset: Preset) async -> Bool {
        guard let input = configuration.input else { return false }
        let formats = (try? await input.device.search())?.formats
        return input.choice(preset).isSatisfiable(formats ?? [])
    }

    /// Starts, and returns with the first good frame.
    ///
    /// - Throws: what stands in the way now, at once without a camera. The session keeps trying all the same, with the
    ///   camera that it is given later, too, until ``stopRunning()``.
    @discardableResult
    public func startRunning() async throws(CaptureError) -> RunningStream {
        if isClosed { throw CaptureError(.invalidConfiguration, "the session is closed") }
        if wantsRunning, !isPending, let running { return running }
        // One that is being stopped begins anew.
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

    /// Stops, and returns when the camera is closed.
    public func stopRunning() async {
        guard wantsRunning || state != .stopped else { return }
        wantsRunning = false
        // While it is being closed, what comes of that is to be waited for.
        if !isClosed {
            // A start that overtakes this is not to go on with the stream of now.
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
        // Whichever thread answers: the one of now may have to be given up first.
        _ = await withCheckedContinuation { waiters.append($0) }
        for preview in configuration.previews { preview.target.disconnect() }
        for observer in observers.values { observer.finish() }
        observers = [:]
    }

    /// Something was plugged in: an interrupted session looks at once whether it is its camera.
    public func deviceAppeared() {
        if state == .interrupted { mailbox.wake.signal() }
    }

    /// A display has changed: memory and path are agreed anew. While an output must not be interrupted
    /// (``CaptureOutput/mustNotBeInterrupted``) displays show the stream that runs instead, as they can.
    ///
    /// - Parameter preview: whose display it is: others go on as they are where the stream goes on; `nil` for all.
    public func renegotiate(for preview: PreviewOutput? = nil) {
        agreement.raise(for: preview)
        if wantsRunning { post() }
    }

    /// Whether the camera's thread has not moved for so long though it should; asks no other thread.
    public nonisolated func isThreadHanging(for limit: Duration = .seconds(15)) -> Bool {
        guard let last = statistics.lastHeartbeat else { return false }
        return .nanoseconds(Clock.monotonic - last) > limit
    }

    /// Gives the camera's thread up when its driver has not let it go for so long, and goes on in another,
    /// which opens the camera anew as soon as it can be had.
    ///
    /// - Returns: whether it did. It does not when the thread is in our own code, or three are kept
    ///   already: then only a new process helps.
    @discardableResult
    public func replaceHangingThread(after limit: Duration = .seconds(15)) -> Bool {
        guard isThreadHanging(for: limit) else { return false }
        hanging.removeAll(where: \.hasEnded)
        guard hanging.count < Self.mostHanging, let successor = thread.replaced() else {
            return false
        }
        hanging.append(thread)
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
            break  // about an order that has been replaced
        }
    }

    private func resume(_ result: Result<RunningStream?, CaptureError>) {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume(returning: result) }
        disconnectRemoved()
    }
}
