// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Media
internal import Synchronization
internal import V4L2

final class V4L2Stream: CameraStream {
    private let device: VideoDevice
    /// Whether buffers are imported; atomic for ``stop()`` while the camera's thread is blocked.
    private let isImporting = Atomic<Bool>(false)
    private var hasExposure = true
    /// Whether the device reports changes of its source.
    private var followsSource = false
    private var converted: ConvertedFrames?

    init(_ device: VideoDevice) { self.device = device }

    var readyDescriptor: CInt { device.number }

    func configure(
        _ format: CaptureFormat, frameRate: Double?
    ) throws(SystemCallError) -> StreamDescription {
        let frame = try setFormat(format)
        if device.followsTimings {
            try device.subscribeToSourceChanges()
            followsSource = true
            let timings = try device.timings()
            // No event reports earlier changes: fail, so that the camera is set up again.
            if try device.detectTimings() != timings {
                throw SystemCallError(
                    call: "VIDIOC_QUERY_DV_TIMINGS", code: EAGAIN, path: device.path)
            }
            return StreamDescription(
                frame: frame, frameInterval: timings.frameInterval, converted: format.converted)
        }
        let intervals = try device.frameIntervals(format.cameraFormat, frame.dimensions)
        let wanted = frameRate ?? format.usualFrameRate
        let interval = try Self.interval(wanted, intervals).map(device.setFrameInterval) ?? nil
        return StreamDescription(
            frame: frame, frameInterval: interval?.nanoseconds ?? 0, converted: format.converted)
    }

    private func setFormat(_ format: CaptureFormat) throws(SystemCallError) -> FrameDescription {
        converted = nil
        guard let foreign = format.converted else {
            return try device.setFormat(format.pixelFormat, format.dimensions)
        }
        let frames = try ConvertedFrames(
            device, try device.setForeignFormat(foreign, format.dimensions))
        converted = frames
        return frames.description
    }

    /// Returns the offered interval nearest to a rate; exactly the rate if the driver allows it.
    private static func interval(
        _ rate: Double, _ offered: [(shortest: FrameInterval, longest: FrameInterval)]
    ) -> FrameInterval? {
        guard rate > 0 else { return offered.first?.shortest }
        let exact = FrameInterval(numerator: 1000, denominator: UInt32(min(rate, 100_000) * 1000))
        if offered.contains(where: {
            $0.shortest != $0.longest && $0.shortest.framesPerSecond >= rate - 0.01
                && $0.longest.framesPerSecond <= rate + 0.01
        }) {
            return exact
        }
        let ends = offered.flatMap { [$0.shortest, $0.longest] }
        return ends.min { abs($0.framesPerSecond - rate) < abs($1.framesPerSecond - rate) } ?? exact
    }

    func allocate(
        _ memory: StreamMemory, count: Int
    ) throws(SystemCallError) -> [[FrameBuffer]] {
        if let converted { return try converted.allocate(memory, count: count) }
        var frames: [[FrameBuffer]] = []
        switch memory {
        case .imported(let buffers):
            let granted = try device.requestBuffers(buffers.count, .dmaBuf)
            isImporting.store(true, ordering: .relaxed)
            return Array(buffers.prefix(granted))
        case .exported:
            for index in 0..<(try device.requestBuffers(count, .mmap)) {
                frames.append(try device.exportBuffer(index, keepsMapping: false))
            }
        case .mapped:
            for index in 0..<(try device.requestBuffers(count, .mmap)) {
                frames.append(try device.mapBuffer(index))
            }
        }
        isImporting.store(false, ordering: .relaxed)
        return frames
    }

    func queue(_ slot: FrameSlot) throws(SystemCallError) {
        if let converted { return try converted.queue(slot.index) }
        try device.queue(slot.index, slot.buffers)
    }

    func dequeue() throws(SystemCallError) -> DequeuedFrame? {
        if let converted { return try converted.dequeue() }
        return try device.dequeue()
    }

    func start() throws(SystemCallError) {
        if let converted { return try converted.start() }
        try device.streamOn()
    }

    func pause() throws(SystemCallError) {
        if let converted { return try converted.pause() }
        try device.streamOff()
    }

    func stop() {
        try? device.streamOff()
        // Exported buffers live on with the holders of their DMA-BUFs (since Linux 5.0).
        let wasImporting = isImporting.load(ordering: .relaxed)
        _ = try? device.requestBuffers(0, wasImporting ? .dmaBuf : .mmap)
    }

    func sourceHasChanged() throws(SystemCallError) -> Bool {
        guard followsSource, try device.takeSourceChanges() else { return false }
        do throws(SystemCallError) {
            return try device.detectTimings() != device.timings()
        } catch {
            if error.hasNoSignal { return true }
            throw error
        }
    }

    func exposureTime() -> Int64? {
        if !hasExposure { return nil }
        do throws(SystemCallError) {
            let control = try device.control(VideoControl.Identifier.exposureAbsolute)
            // In automatic mode, many cameras report the last manual value.
            if control.isInactive && !control.isVolatile { return nil }
            return try device.value(ofControl: control.identifier) * 100_000
        } catch {
            if [EINVAL, ENOTTY].contains(error.code) { hasExposure = false }
            return nil
        }
    }
}
