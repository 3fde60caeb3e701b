// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Media

/// A camera whose driver may block any call forever. After 15 seconds
/// ``CaptureSession/replaceHangingThread(after:)`` abandons the camera's thread, which the
/// appliance's health monitor asks for every three seconds.
///
/// If the thread was abandoned meanwhile, the camera belongs to another thread, and every throwing
/// call throws `ECANCELED`.
final class GuardedCamera: CameraStream {
    private let camera: any CameraStream
    private let callGuard: BlockingCallGuard
    private let statistics: CaptureStatistics

    init(
        _ camera: any CameraStream, _ callGuard: BlockingCallGuard, _ statistics: CaptureStatistics
    ) {
        self.camera = camera
        self.callGuard = callGuard
        self.statistics = statistics
    }

    var isGivenUp: Bool { callGuard.isAbandoned }

    var readyDescriptor: CInt { camera.readyDescriptor }

    func configure(
        _ format: CaptureFormat, frameRate: Double?
    ) throws(SystemCallError) -> StreamDescription {
        callGuard.enter()
        let stream = Result { () throws(SystemCallError) in
            try camera.configure(format, frameRate: frameRate)
        }
        try returnedLate()
        return try stream.get()
    }

    func allocate(_ memory: StreamMemory, count: Int) throws(SystemCallError) -> [[FrameBuffer]] {
        callGuard.enter()
        let buffers = Result { () throws(SystemCallError) in
            try camera.allocate(memory, count: count)
        }
        try returnedLate()
        return try buffers.get()
    }

    func queue(_ slot: FrameSlot) throws(SystemCallError) {
        callGuard.enter()
        do throws(SystemCallError) {
            try camera.queue(slot)
        } catch {
            try returned()
            throw error
        }
        try returned()
    }

    func dequeue() throws(SystemCallError) -> DequeuedFrame? {
        callGuard.enter()
        // Called per frame: a `Result` would copy the frame a few times.
        let frame: DequeuedFrame?
        do throws(SystemCallError) {
            frame = try camera.dequeue()
        } catch {
            try returned()
            throw error
        }
        try returned()
        return frame
    }

    func start() throws(SystemCallError) {
        callGuard.enter()
        let started = Result { () throws(SystemCallError) in try camera.start() }
        try returnedLate()
        try started.get()
    }

    func pause() throws(SystemCallError) {
        callGuard.enter()
        let paused = Result { () throws(SystemCallError) in try camera.pause() }
        try returnedLate()
        try paused.get()
    }

    func stop() {
        if callGuard.isAbandoned { return }
        callGuard.enter()
        camera.stop()
        _ = callGuard.leave()
    }

    func sourceHasChanged() throws(SystemCallError) -> Bool {
        callGuard.enter()
        let hasChanged = Result { () throws(SystemCallError) in try camera.sourceHasChanged() }
        try returned()
        return try hasChanged.get()
    }

    /// Not guarded: outputs call it amid their work, where the thread must not be abandoned.
    func exposureTime() -> Int64? { camera.exposureTime() }

    private func returned() throws(SystemCallError) {
        guard callGuard.leave() else {
            throw SystemCallError(call: "call of an abandoned thread", code: ECANCELED)
        }
    }

    /// Ends a guarded call that may take long, and renews the heartbeat.
    private func returnedLate() throws(SystemCallError) {
        try returned()
        statistics.moved()
    }
}
