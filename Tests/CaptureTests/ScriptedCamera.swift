// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Dispatch
import Glibc
import LinuxIO
import Media
import Synchronization

/// A camera's behaviour as a list of steps. Each step becomes ready at once, in order.
final class CameraScript: Sendable {
    enum Step: Sendable {
        /// A frame. `picture` holds its bytes, if they matter.
        case frame(
            sequence: UInt32, timestamp: Int64, isDamaged: Bool = false, picture: [UInt8]? = nil)
        case fail(CInt)
        /// The driver blocks until ``release()``.
        case hang
    }
    private let answers = DispatchSemaphore(value: 0)

    private struct State {
        var steps: [Step] = []
        var attempts = 0
        var opens = 0
        var open = 0
        var pauses: [Int64] = []
        var stepsAtPause: [(pause: Int, step: Step)] = []
        var lastFrame: Int64 = 0
        var queued: Set<Int> = []
        var refusal: CInt?
        var refusedFormat: PixelFormat?
        var granted = Int.max
        var failingStarts = 0
        var hanging = 0
    }
    private let state = Mutex(State())
    let ready: Pipe

    init() throws {
        ready = try Pipe()
        // Reading must return at once if there is no frame.
        let number = ready.reading.number
        try systemCall("fcntl") { unsafe fcntl(number, F_SETFL, O_NONBLOCK) }
    }

    func play(_ steps: Step...) {
        for step in steps {
            state.withLock { $0.steps.append(step) }
            signal()
        }
    }

    /// Plays a step at the `pause`th pause, before any caller can have noticed that pause.
    func play(_ step: Step, atPause pause: Int) {
        state.withLock { $0.stepsAtPause.append((pause, step)) }
    }

    private func signal() { _ = unsafe write(ready.writing.number, [UInt8(1)], 1) }

    /// Makes every later open fail with this error; `nil` lets them succeed.
    func refuse(_ code: CInt?) { state.withLock { $0.refusal = code } }

    /// Makes the driver refuse this format when it is set, although it is announced.
    func refuse(_ format: PixelFormat) { state.withLock { $0.refusedFormat = format } }
    fileprivate func accepts(_ format: PixelFormat) -> Bool {
        state.withLock { $0.refusedFormat != format }
    }

    /// Lets one blocked driver call return.
    func release() { answers.signal() }
    fileprivate func hang() {
        state.withLock { $0.hanging += 1 }
        answers.wait()
        state.withLock { $0.hanging -= 1 }
    }
    /// The number of threads that are blocked in the driver.
    var hanging: Int { state.withLock { $0.hanging } }

    /// Makes the next `count` starts fail.
    func failStarts(_ count: Int) { state.withLock { $0.failingStarts = count } }
    fileprivate func started() -> Bool {
        state.withLock { state in
            state.failingStarts -= 1
            return state.failingStarts < 0
        }
    }

    /// Limits the memory to `count` frames.
    func grant(_ count: Int) { state.withLock { $0.granted = count } }
    fileprivate var granted: Int { state.withLock { $0.granted } }

    /// The number of attempts to open the camera, including failed ones.
    var attempts: Int { state.withLock { $0.attempts } }
    var opens: Int { state.withLock { $0.opens } }
    /// The number of streams that are open now.
    var openNow: Int { state.withLock { $0.open } }
    var pauses: Int { pauseTimes.count }
    /// The times at which the camera was streamed off to be streamed on again.
    var pauseTimes: [Int64] { state.withLock { $0.pauses } }
    /// The time at which a frame was last dequeued.
    var lastFrame: Int64 { state.withLock { $0.lastFrame } }
    var queued: Int { state.withLock { $0.queued.count } }

    /// Returns the new stream's number. Only the newest stream owns the camera.
    fileprivate func opened() -> Result<Int, SystemCallError> {
        state.withLock { state in
            state.attempts += 1
            if let code = state.refusal {
                return .failure(SystemCallError(call: "open", code: code))
            }
            state.opens += 1
            state.open += 1
            state.queued = []
            return .success(state.opens)
        }
    }
    fileprivate func stopped(_ stream: Int) {
        state.withLock { if $0.opens == stream { $0.queued = [] } }
    }
    fileprivate func closed() { state.withLock { $0.open -= 1 } }
    fileprivate func paused() {
        let due = state.withLock { state in
            state.pauses.append(Clock.monotonic)
            state.queued = []
            return state.stepsAtPause.filter { $0.pause == state.pauses.count }.map(\.step)
        }
        for step in due { play(step) }
    }
    fileprivate func queue(_ index: Int) {
        state.withLock { state in
            precondition(state.queued.insert(index).inserted, "slot \(index) queued twice")
        }
    }
    fileprivate func next() -> (step: Step, index: Int)? {
        var byte = [UInt8(0)]
        guard unsafe read(ready.reading.number, &byte, 1) == 1 else { return nil }
        return state.withLock { state in
            guard !state.steps.isEmpty else { return nil }
            let step = state.steps.removeFirst()
            guard case .frame = step else { return (step, -1) }
            guard let index = state.queued.min() else { return nil }
            state.queued.remove(index)
            state.lastFrame = Clock.monotonic
            return (step, index)
        }
    }
}

struct ScriptedCamera: CameraDriver {
    let script: CameraScript
    var formats = [
        CaptureFormat(
            pixelFormat: .xrgb, dimensions: Dimensions(width: 16, height: 16), maximumFrameRate: 30)
    ]

    var busPath = "test"
    /// A frame interval, in nanoseconds, at which silence is noticed after one second.
    static let promptInterval: Int64 = 33_333_333
    /// The interval that the driver grants, in nanoseconds; 0 if it reports none. It is long, so
    /// that a test that waits for a processor does not make the camera look silent.
    var frameInterval: Int64 = 20_000_000_000

    var identity: CameraIdentity {
        CameraIdentity(
            name: "Scripted", path: "/dev/none", driver: "scripted", busPath: busPath, serial: "1",
            deviceType: .simulated)
    }

    func open() throws(CaptureError) -> any CameraStream {
        do {
            return ScriptedStream(script, try script.opened().get(), frameInterval)
        } catch {
            throw CaptureError("Scripted", error)
        }
    }

    var device: CaptureDevice {
        CaptureDevice(uniqueID: "test") { () throws(CaptureError) in self }
    }
}

private final class ScriptedStream: CameraStream {
    private let script: CameraScript

    private let number: Int
    private let frameInterval: Int64
    private var slots: [Int: FrameSlot] = [:]

    init(_ script: CameraScript, _ number: Int, _ frameInterval: Int64) {
        self.script = script
        self.number = number
        self.frameInterval = frameInterval
    }

    deinit { script.closed() }

    var readyDescriptor: CInt { script.ready.reading.number }

    func configure(
        _ format: CaptureFormat, frameRate: Double?
    ) throws(SystemCallError) -> StreamDescription {
        guard script.accepts(format.pixelFormat), let frame = Self.frame(format) else {
            throw SystemCallError(call: "VIDIOC_S_FMT", code: EINVAL)
        }
        return StreamDescription(frame: frame, frameInterval: frameInterval)
    }

    private static func frame(_ format: CaptureFormat) -> FrameDescription? {
        guard format.pixelFormat.isCompressed else {
            return FrameDescription(format.pixelFormat, format.dimensions)
        }
        return FrameDescription(
            pixelFormat: format.pixelFormat, dimensions: format.dimensions,
            planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)], bufferSizes: [1024],
            color: .jpeg)
    }

    func allocate(_ memory: StreamMemory, count: Int) throws(SystemCallError) -> [[FrameBuffer]] {
        if case .imported(let lent) = memory { return Array(lent.prefix(script.granted)) }
        var frames: [[FrameBuffer]] = []
        for _ in 0..<min(count, script.granted) { frames.append([try FrameBuffer.memory(1024)]) }
        return frames
    }

    func queue(_ slot: FrameSlot) throws(SystemCallError) {
        slots[slot.index] = slot
        script.queue(slot.index)
    }

    func dequeue() throws(SystemCallError) -> DequeuedFrame? {
        guard let (step, index) = script.next() else { return nil }
        switch step {
        case .frame(let sequence, let timestamp, let isDamaged, let picture):
            if let picture { fill(index, with: picture) }
            return DequeuedFrame(
                index: index,
                info: FrameInfo(
                    timestamp: timestamp, sequence: sequence, bytesUsed: picture?.count ?? 1024),
                isDamaged: isDamaged)
        case .fail(let code): throw SystemCallError(call: "VIDIOC_DQBUF", code: code)
        case .hang:
            script.hang()
            return nil
        }
    }

    private func fill(_ index: Int, with picture: [UInt8]) {
        try? unsafe slots[index]?.buffers[0].withBytes(.write) { bytes in
            for (offset, byte) in picture.enumerated() {
                unsafe bytes.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    func start() throws(SystemCallError) {
        if !script.started() { throw SystemCallError(call: "VIDIOC_STREAMON", code: EIO) }
    }
    func pause() throws(SystemCallError) { script.paused() }
    func stop() { script.stopped(number) }
    func exposureTime() -> Int64? { 10_000_000 }
}

/// A flag that a test waits for.
final class Sign: Sendable {
    private let given = Atomic(false)
    var isGiven: Bool { given.load(ordering: .acquiring) }
    func give() { given.store(true, ordering: .releasing) }
}

extension CaptureSession {
    /// Waits until the session runs in its latest configuration.
    func waitUntilRunning() async throws { _ = try await startRunning() }

    /// Gives the sign, then closes. A caller that enters the session after the sign comes after
    /// this call.
    func close(saying sign: Sign) async {
        sign.give()
        await close()
    }
    func stopRunning(saying sign: Sign) async {
        sign.give()
        await stopRunning()
    }
    func startRunning(saying sign: Sign) async throws {
        sign.give()
        _ = try await startRunning()
    }
}
