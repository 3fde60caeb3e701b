// SPDX-License-Identifier: GPL-3.0-or-later

public import Imaging
public import LinuxIO
public import Media
internal import Dispatch
internal import Synchronization

/// A display with its thread: shows the newest camera frame and an overlay above it, survives the
/// display's absence, and gives the screen back at the end.
///
/// A frame that is scanned out as it is needs two system calls to get onto the screen. The camera's
/// thread makes them itself, unless the display's is just at work: waking another thread would cost
/// more. Everything else happens on the display's thread, which keeps the screen alive until `close`.
public final class Screen: PreviewTarget {
    /// What happens to the display, in order.
    public enum Event: Sendable {
        /// It is there, with this mode. Also after the mode has changed.
        case ready(connector: String, mode: String, size: Dimensions)
        /// It is not there, or has gone; looked for again on hotplug and every two seconds.
        case lost(DisplayError)
        /// The overlay cannot be shown; the video is. Tried again every two seconds.
        case overlayFailed(DisplayError)
        /// It can be shown again.
        case overlayShown
        /// The video cannot be shown until the next `connect`; the overlay is.
        case videoFailed(DisplayError)
        /// Video that had failed is on screen again.
        case videoShown
        /// It was to go to standby, and is black instead.
        case standbyRefused(DisplayError)
    }

    /// Counts go on from one display to the next. Read from any thread.
    public let statistics = ScreenStatistics()
    /// For one reader, for whom all are kept until they are read; finishes with ``close()``.
    public let events: AsyncStream<Event>
    private let wake: WakeSignal
    private let sleep: ScreenSleep
    private let loop: Mutex<ScreenLoop>
    private let continuation: AsyncStream<Event>.Continuation
    private let mailbox = Mutex<[Job]>([])
    /// Lets the loop see without taking the lock that there is nothing to do.
    private let hasJobs = Atomic<Bool>(false)
    private let threads = Mutex(DisplayThreads())
    /// More, and only a new process helps.
    private static let mostHanging = 3

    typealias Job = @Sendable (inout ScreenLoop) -> Void

    /// - Parameters:
    ///   - gravity: how the video fills the screen.
    ///   - open: takes the display; called on the screen's thread, again and again until it succeeds.
    /// - Throws: only when the process is out of descriptors.
    public init(
        gravity: Gravity = .resizeAspect,
        open: @escaping @Sendable () throws(DisplayError) -> any ScanoutDevice
    ) throws(SystemCallError) {
        wake = try WakeSignal()
        (events, continuation) = AsyncStream.makeStream(of: Event.self)
        sleep = try ScreenSleep(wake, limit: ScreenLoop.heartbeat)
        loop = Mutex(
            ScreenLoop(sleep, gravity, statistics, open) { [continuation] in
                continuation.yield($0)
            })
        let thread = startThread()
        threads.withLock { $0.current = thread }
    }

    private struct DisplayThread: Sendable {
        let thread: NamedThread
        let boundary: KernelBoundary
    }

    private struct DisplayThreads {
        var current: DisplayThread?
        /// Given up, and not yet let go by the kernel.
        var hanging: [DisplayThread] = []
    }

    private func startThread() -> DisplayThread {
        let boundary = KernelBoundary()
        return DisplayThread(
            thread: NamedThread("display") { self.run(boundary) }, boundary: boundary)
    }

    private func run(_ boundary: KernelBoundary) {
        while let rest = loop.withLock({ $0.turn(takeJobs()) }) {
            boundary.enter()
            sleep.wait(rest) {
                statistics.commitTime.load(ordering: .relaxed)
            }
            // What woke it was for its successor.
            guard boundary.leave() else { return wake.signal() }
        }
        continuation.finish()
    }

    /// Gives the display's thread up when it has not moved for so long, and lets another go on with the same
    /// display.
    ///
    /// - Returns: whether it did. It does not when the thread is at work, where the display's driver keeps
    ///   it or we do, or three are kept already: then only a new process helps.
    @discardableResult
    public func replaceHangingThread(after limit: Duration = .seconds(4)) -> Bool {
        guard .nanoseconds(Clock.monotonic - statistics.lastHeartbeat) > limit else { return false }
        return threads.withLock { threads in
            threads.hanging.removeAll(where: \.thread.hasEnded)
            guard let hung = threads.current, threads.hanging.count < Self.mostHanging,
                hung.boundary.abandon()
            else { return false }
            threads.hanging.append(hung)
            threads.current = startThread()
            return true
        }
    }

    /// Shows what lies above the video; `nil` for nothing.
    public func setOverlay(_ overlay: OverlayPicture?) {
        post { $0.setOverlay(overlay) }
    }

    /// Switches the monitor to standby, or on again. Off, frames go back to the camera unseen.
    public func setActive(_ isActive: Bool) {
        post { $0.setActive(isActive) }
    }

    /// What a person sees now, video and overlay composed: XRGB8888, the screen's size; black where a
    /// device shows the picture that it began with. Composed on the display's thread; a thread that
    /// does not answer is given up after ten seconds.
    public func snapshot() async throws -> StillPicture {
        let answer = await firstAnswer(within: .seconds(10)) { answer in
            post { loop in answer(Result { try loop.snapshot() }) }
        }
        guard let answer else {
            throw DisplayError(.failed, "the display's thread does not answer")
        }
        return try answer.get()
    }

    /// Looks for the display at once: something was plugged in or out.
    public func rescan() { post { $0.rescan() } }

    /// Ends the thread and puts back what the screen showed before.
    public func close() async {
        post { $0.end() }
        await threads.withLock { $0.current }?.thread.join()
    }

    // MARK: PreviewTarget

    /// Waits for the display's thread.
    public var isAvailable: Bool { (try? perform { loop in loop.device != nil }) ?? false }

    /// Waits for the display's thread; `false` also without a display.
    public func canScanOut(_ pixelFormat: PixelFormat) -> Bool {
        (try? perform { loop in loop.canScanOut(pixelFormat) }) ?? false
    }

    /// Waits for the display's thread; `nil` without a display. Rows are its driver's.
    ///
    /// - Throws: ``DisplayError`` `failed` when the thread does not answer for ten seconds; else
    ///   what ``ScanoutDevice/makeImage(_:_:color:_:)`` does.
    public func allocate(_ description: FrameDescription) throws -> [FrameBuffer]? {
        try perform { loop in try loop.allocate(description) }
    }

    /// Waits for the display's thread; may set another mode. That compressed frames cannot be shown
    /// is told later: ``Event/videoFailed(_:)``.
    ///
    /// - Throws: ``DisplayError`` `failed` when the thread does not answer for ten seconds; else
    ///   why these frames cannot be shown (`noDisplay` without one), and the pool before is let go.
    public func connect(
        _ pool: FramePool, frames: NewestFrame, by rung: PreviewRung, orientation: ExifOrientation
    ) throws -> PreviewPath {
        try perform { loop in try loop.connect(pool, frames, rung, orientation) }
    }

    /// Commits on the calling thread what is scanned out as it is, unless the display's is at work;
    /// else wakes that. Errors are the display's thread's to deal with.
    public func frameArrived() {
        if loop.withLockIfAvailable({ $0.showArrived() }) != true { wake.signal() }
    }

    /// The last picture stays; one with the overlay blended in makes way for the overlay alone.
    public func suspend() { post { $0.suspend() } }

    /// Waits until other pictures are on screen, which takes two flips, or the display is lost.
    /// Gives up after ten seconds: the camera's memory may then be in use still.
    public func disconnect() { _ = try? perform { loop in loop.disconnect() } }

    // MARK: the way to the thread

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

    /// Runs `body` on the display's thread and waits for it. The display's thread waits for nobody, so
    /// this cannot lock up; a thread that hangs is given up after ten seconds.
    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (inout ScreenLoop) throws -> Value
    ) throws -> Value {
        let answer = Answer<Value>()
        post { loop in
            if !answer.isGivenUp { answer.set(Result { try body(&loop) }) }
        }
        return try answer.wait()
    }
}

/// A value that one thread waits for and another sets.
private final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, any Error>?>(nil)
    private let givenUp = Atomic<Bool>(false)
    private let ready = DispatchSemaphore(value: 0)

    func set(_ result: Result<Value, any Error>) {
        value.withLock { $0 = result }
        ready.signal()
    }

    /// Whether nobody waits any more.
    var isGivenUp: Bool { givenUp.load(ordering: .acquiring) }

    func wait() throws -> Value {
        guard ready.wait(timeout: .now() + .seconds(10)) == .success,
            let result = value.withLock({ $0 })
        else {
            givenUp.store(true, ordering: .releasing)
            throw DisplayError(.failed, "the display's thread does not answer")
        }
        return try result.get()
    }
}
