// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Media

/// A camera each of whose calls may be the one that its driver never answers.
///
/// When the thread was given up meanwhile, the camera is somebody else's: every call throws `ECANCELED`.
final class GuardedCamera: CameraStream {
    private let camera: any CameraStream
    private let boundary: KernelBoundary
    private let statistics: CaptureStatistics

    init(_ camera: any CameraStream, _ boundary: KernelBoundary, _ statistics: CaptureStatistics) {
        self.camera = camera
        self.boundary = boundary
        self.statistics = statistics
    }

    /// Whether camera and thread have been given up.
    var isGivenUp: Bool { boundary.isAbandoned }

    var readyDescriptor: CInt { camera.readyDescriptor }

    func configure(
        _ format: CaptureFormat, frameRate: Double?
    ) throws(SystemCallError) -> StreamDescription {
        boundary.enter()
        let stream = Result { () throws(SystemCallError) in
            try camera.configure(format, frameRate: frameRate)
        }
        try returnedLate()
        return try stream.get()
    }

    func allocate(_ memory: StreamMemory, count: Int) throws(SystemCallError) -> [[FrameBuffer]] {
        boundary.enter()
        let buffers = Result { () throws(SystemCallError) in
            try camera.allocate(memory, count: count)
        }
        try returnedLate()
        return try buffers.get()
    }

    func queue(_ slot: FrameSlot) throws(SystemCallError) {
        boundary.enter()
        do throws(SystemCallError) {
            try camera.queue(slot)
        } catch {
            try returned()
            throw error
        }
        try returned()
    }

    func dequeue() throws(SystemCallError) -> DequeuedFrame? {
        boundary.enter()
        // With each frame: a Result would copy it a few times.
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
        boundary.enter()
        let started = Result { () throws(SystemCallError) in try camera.start() }
        try returnedLate()
        try started.get()
    }

    func pause() throws(SystemCallError) {
        boundary.enter()
        let paused = Result { () throws(SystemCallError) in try camera.pause() }
        try returnedLate()
        try paused.get()
    }

    func stop() {
        if boundary.isAbandoned { return }
        boundary.enter()
        camera.stop()
        _ = boundary.leave()
    }

    func sourceHasChanged() throws(SystemCallError) -> Bool {
        boundary.enter()
        let hasChanged = Result { () throws(SystemCallError) in try camera.sourceHasChanged() }
        try returned()
        return try hasChanged.get()
    }

    /// Outputs ask for it in the midst of their work: here the thread cannot be given up.
    func exposureTime() -> Int64? { camera.exposureTime() }

    private func returned() throws(SystemCallError) {
        guard boundary.leave() else {
            throw SystemCallError(call: "a thread that was given up", code: ECANCELED)
        }
    }

    /// From what may take its time, and is one of several.
    private func returnedLate() throws(SystemCallError) {
        try returned()
        statistics.moved()
    }
}
