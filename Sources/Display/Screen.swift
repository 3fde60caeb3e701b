// SPDX-License-Identifier: GPL-3.0-or-later

public import Imaging
public import LinuxIO
public import Media
internal import Synchronization

/// A display with its thread. It shows the newest camera frame and an overlay above it, survives
/// the display's absence, and restores the screen at the end. A frame that is scanned out directly
/// needs two system calls to reach the screen. The camera's thread makes them itself unless the
/// display's thread is at work, because waking another thread would cost more. Everything else
/// happens on the display's thread, which keeps the screen alive until ``close()``.
public final class Screen: PreviewTarget {
    /// A change of the display's state. Events arrive in order.
    public enum Event: Sendable {
        /// The display is available in this mode. A change of mode sends this event again.
        case ready(connector: String, mode: String, size: Dimensions)
        /// The display is missing or gone. It is looked for on hotplug and about every two seconds.
        case lost(DisplayError)
        /// The overlay cannot be shown, but the video is. Drawing is retried about every 2 s.
        case overlayFailed(DisplayError)
        /// The overlay can be shown again.
        case overlayShown
        /// The video cannot be shown until the next `connect`, but the overlay is.
        case videoFailed(DisplayError)
        /// Video is on screen again after a failure.
        case videoShown
        /// The pictures of ``Screen/playback`` cannot be shown; the camera's are.
        case playbackFailed(DisplayError)
        /// The monitor shows black because it cannot enter standby.
        case standbyRefused(DisplayError)
    }

    /// Counters, which continue from one display to the next. Any thread may read them.
    public let statistics = ScreenStatistics()
    /// Events for one reader. They are kept until read; the sequence finishes with ``close()``.
    public let events: AsyncStream<Event>
    /// The fit of video whose shape differs from the screen's.
    public let gravity: Gravity
    private let wake: WakeSignal
    private let sleep: ScreenSleep
    private let loop: Mutex<ScreenLoop>
    private let continuation: AsyncStream<Event>.Continuation
    private let observers: DisplayObservers
    private let mailbox = Mutex<[Job]>([])
    /// Lets the loop find out without a lock that there are no jobs.
    private let hasJobs = Atomic<Bool>(false)
    private let threads = Mutex(DisplayThreads())

    typealias Job = @Sendable (inout ScreenLoop) -> Void

    /// Starts the display's thread, which calls `open` until it succeeds. `gravity` fits the video
    /// to the screen. Throws only if the process is out of descriptors.
    public init(
        gravity: Gravity = .resizeAspect,
        open: @escaping @Sendable () throws(DisplayError) -> any ScanoutDevice
    ) throws(SystemCallError) {
        self.gravity = gravity
        wake = try WakeSignal()
        (events, continuation) = AsyncStream.makeStream(of: Event.self)
        sleep = try ScreenSleep(wake, limit: ScreenLoop.heartbeat)
        let observers = DisplayObservers()
        self.observers = observers
        loop = Mutex(
            ScreenLoop(sleep, gravity, statistics, open) { [continuation] event in
                observers.take(event)
                continuation.yield(event)
            })
        let thread = startThread()
        threads.withLock { $0.current = thread }
    }

    private struct DisplayThreads {
        var current: AbandonableThread?
        var blocked = BlockedThreads()
    }

    private func startThread() -> AbandonableThread {
        AbandonableThread("display") { self.run($0) }
    }

    private func run(_ callGuard: BlockingCallGuard) {
        while let rest = loop.withLock({ $0.turn(takeJobs()) }) {
            callGuard.enter()
            sleep.wait(rest) {
                statistics.commitTime.load(ordering: .relaxed)
            }
            // The wake-up was meant for this thread's successor.
            guard callGuard.leave() else { return wake.signal() }
        }
        continuation.finish()
    }

    /// Replaces the display's thread if it made no progress for `limit`, and returns whether it
    /// did. The new thread continues with the same display. A thread at work, in the driver or our
    /// code, is not replaced; nor is any while three others hang. Only a new process helps then.
    @discardableResult
    public func replaceHangingThread(after limit: Duration = .seconds(4)) -> Bool {
        guard .nanoseconds(Clock.monotonic - statistics.lastHeartbeat) > limit else { return false }
        return threads.withLock { threads in
            guard let hung = threads.current, threads.blocked.count() < BlockedThreads.maximum,
                hung.abandon()
            else { return false }
            threads.blocked.append(hung)
            threads.current = startThread()
            return true
        }
    }

    /// Shows an overlay above the video; `nil` for none.
    public func setOverlay(_ overlay: OverlayPicture?) {
        post { $0.setOverlay(overlay) }
    }

    /// Switches the monitor to standby or on. In standby, frames return to the camera unseen.
    public func setActive(_ isActive: Bool) {
        post { $0.setActive(isActive) }
    }

    /// Returns what a person sees now, video and overlay composed: XRGB8888 in the screen's size. A
    /// mode's first picture appears as black. The display's thread composes it. Throws `failed` if
    /// that thread does not answer within ten seconds.
    public func snapshot() async throws -> StillPicture {
        let answer = ask { loop in try loop.snapshot() }
        return try Self.known(await answer.value(within: Self.patience))
    }

    /// Looks for the display at once, after a hotplug event.
    public func rescan() { post { $0.rescan() } }

    /// Ends the thread and restores what the screen showed before.
    public func close() async {
        post { $0.end() }
        await threads.withLock { $0.current }?.join()
    }

    // MARK: PreviewTarget

    /// Whether there is a display. Waits for the display's thread.
    public var isAvailable: Bool { (try? perform { loop in loop.device != nil }) ?? false }

    /// Returns whether the display can scan out this format; `false` also without a display. Waits
    /// for the display's thread.
    public func canScanOut(_ pixelFormat: PixelFormat) -> Bool {
        (try? perform { loop in loop.canScanOut(pixelFormat) }) ?? false
    }

    /// Allocates a frame of the display's memory, with its driver's row length; `nil` without a
    /// display. Waits for the display's thread. Throws ``DisplayError`` `failed` if that does not
    /// answer within ten seconds; otherwise as ``ScanoutDevice/makeImage(_:_:color:_:)`` does.
    public func allocate(_ description: FrameDescription) throws -> [FrameBuffer]? {
        try perform { loop in try loop.allocate(description, .brief) }
    }

    /// Prepares to show a pool's frames; may set another mode. Waits for the display's thread. If
    /// compressed frames cannot be shown, ``Event/videoFailed(_:)`` reports it later. Throws
    /// ``DisplayError`` `failed` if the thread does not answer within ten seconds; otherwise why
    /// these frames cannot be shown (`noDisplay` without a display). The previous pool is released
    /// even then.
    public func connect(
        _ pool: FramePool, frames: FrameHandoff, by memoryPath: PreviewMemoryPath,
        layout: VideoLayout
    ) throws -> PreviewPath {
        try perform { loop in try loop.connect(.camera, pool, frames, memoryPath, layout) }
    }

    /// Commits a frame that is scanned out directly, on the calling thread. Wakes the display's
    /// thread for other frames, or if that thread is at work. Errors are left to that thread.
    public func frameArrived() { frameArrived(from: .camera) }

    fileprivate func frameArrived(from input: ScreenLoop.Input) {
        if loop.withLockIfAvailable({ $0.showArrived(from: input) }) != true { wake.signal() }
    }

    /// Keeps the last picture on screen; the overlay replaces a picture into which it is blended.
    public func suspend() { post { $0.suspend(.camera) } }

    /// Waits until other pictures are on screen, which takes two flips, or until the display is
    /// lost. Gives up after ten seconds; the camera's memory may then still be in use.
    public func disconnect() { _ = try? perform { loop in loop.disconnect() } }

    // MARK: playback

    /// A second input for pictures that are played. Its frames cover the camera's from the
    /// connection on until ``PreviewTarget/suspend()``; then the camera's newest frame is shown at
    /// once. Nothing else differs from the screen's own input.
    public var playback: any PreviewTarget { PlaybackInput(screen: self) }

    private final class PlaybackInput: PreviewTarget {
        private let screen: Screen
        init(screen: Screen) { self.screen = screen }

        var isAvailable: Bool { screen.isAvailable }
        func canScanOut(_ pixelFormat: PixelFormat) -> Bool { screen.canScanOut(pixelFormat) }
        func allocate(_ description: FrameDescription) throws -> [FrameBuffer]? {
            // The CPU writes each picture.
            try screen.perform { loop in try loop.allocate(description, .kept) }
        }
        func connect(
            _ pool: FramePool, frames: FrameHandoff, by memoryPath: PreviewMemoryPath,
            layout: VideoLayout
        ) throws -> PreviewPath {
            try screen.perform { loop in
                try loop.connect(.playback, pool, frames, memoryPath, layout)
            }
        }
        func suspend() { screen.post { $0.suspend(.playback) } }
        /// The display's own memory need not leave the screen.
        func disconnect() { suspend() }
        func frameArrived() { screen.frameArrived(from: .playback) }
        var dimensions: Dimensions? { try? screen.perform { $0.announced?.size } }
        func observeDisplays(for owner: AnyObject, _ body: (@Sendable () -> Void)?) {
            screen.observers.set(body, for: owner)
        }
        var latency: Int64 { screen.statistics.playbackLatency.load(ordering: .relaxed) }
    }

    // MARK: calls to the display's thread

    private func post(_ job: @escaping Job) {
        mailbox.withLock { $0.append(job) }
        hasJobs.store(true, ordering: .releasing)
        wake.signal()
    }

    private func takeJobs() -> [Job] {
        guard hasJobs.exchange(false, ordering: .acquiring) else { return [] }
        return mailbox.withLock { jobs in
            defer { jobs.removeAll(keepingCapacity: true) }
            return jobs
        }
    }

    /// How long to wait for the display's thread, which waits for no other.
    private static let patience = Duration.seconds(10)

    /// Runs `body` on the display's thread.
    private func ask<Value: Sendable>(
        _ body: @escaping @Sendable (inout ScreenLoop) throws -> Value
    ) -> PendingAnswer<Result<Value, any Error>> {
        let answer = PendingAnswer<Result<Value, any Error>>()
        post { loop in
            if !answer.isGivenUp { answer.give(Result { try body(&loop) }) }
        }
        return answer
    }

    /// Runs `body` on the display's thread, and blocks this one until it has ended.
    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (inout ScreenLoop) throws -> Value
    ) throws -> Value {
        try Self.known(ask(body).blockingValue(within: Self.patience))
    }

    private static func known<Value>(_ answer: Result<Value, any Error>?) throws -> Value {
        guard let answer else {
            throw DisplayError(.failed, "the display's thread does not answer")
        }
        return try answer.get()
    }
}

/// Those who want to know when a display is back. Any thread.
private final class DisplayObservers: Sendable {
    private struct State {
        var bodies: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isLost = false
    }
    private let state = Mutex(State())

    func set(_ body: (@Sendable () -> Void)?, for owner: AnyObject) {
        state.withLock { $0.bodies[ObjectIdentifier(owner)] = body }
    }

    func take(_ event: Screen.Event) {
        let bodies = state.withLock { state -> [@Sendable () -> Void] in
            switch event {
            case .lost:
                state.isLost = true
                return []
            case .ready where state.isLost:
                state.isLost = false
                return Array(state.bodies.values)
            default: return []
            }
        }
        for body in bodies { body() }
    }
}
