// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Libcamera
internal import LinuxIO
internal import Media

final class LibcameraStream: CameraStream {
    private let device: LibcameraDevice
    private var granted: LibcameraDevice.Stream?
    private var layout: FrameDescription?
    /// The newest frame's number, and what its driver said of it.
    private var last: (number: UInt32, claim: UInt32)?
    private var exposure: Int64 = 0

    init(_ device: LibcameraDevice) { self.device = device }

    var readyDescriptor: CInt { device.readyDescriptor }

    func configure(
        _ format: CaptureFormat, frameRate: Double?
    ) throws(SystemCallError) -> StreamDescription {
        let granted = try device.configure(
            LibcameraDevice.Stream(format.pixelFormat, format.dimensions))
        let layout = try Self.layout(of: granted, device)
        (self.granted, self.layout) = (granted, layout)
        var interval: Int64 = 0
        if let durations = device.frameDurations() {
            let wanted = frameRate ?? format.usualFrameRate
            let duration = wanted > 0 ? Int64(1e9 / wanted) : durations.lowerBound
            interval = min(max(duration, durations.lowerBound), durations.upperBound)
            try device.setFrameDuration(interval)
        }
        return StreamDescription(frame: layout, frameInterval: interval)
    }

    private static func layout(
        of stream: LibcameraDevice.Stream, _ device: LibcameraDevice
    ) throws(SystemCallError) -> FrameDescription {
        if stream.pixelFormat.isCompressed {
            return FrameDescription(
                pixelFormat: stream.pixelFormat, dimensions: stream.dimensions,
                planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)],
                bufferSizes: [stream.frameSize], color: .jpeg)
        }
        let color =
            stream.color
            ?? ColorDescription(
                matrix: .bt601, range: stream.pixelFormat.isYUV ? .limited : .full)
        guard
            var layout = FrameDescription(
                stream.pixelFormat, stream.dimensions, bytesPerRow: stream.bytesPerRow,
                color: color),
            layout.bufferSizes[0] <= stream.frameSize
        else {
            throw SystemCallError(call: "libcamera configure", code: EINVAL, path: device.id)
        }
        layout.bufferSizes = [stream.frameSize]
        return layout
    }

    func allocate(
        _ memory: StreamMemory, count: Int
    ) throws(SystemCallError) -> [[FrameBuffer]] {
        guard let layout, let granted else { return [] }
        // The number of frames is part of a configuration.
        if granted.frameCount != count {
            self.granted = try device.configure(
                LibcameraDevice.Stream(
                    granted.pixelFormat, granted.dimensions, frameCount: count))
        }
        switch memory {
        case .exported: return try device.allocate(keepsMapping: false).map { [$0] }
        case .mapped: return try device.allocate(keepsMapping: true).map { [$0] }
        case .imported(let frames):
            let buffers = frames.compactMap(\.first)
            try device.adopt(buffers, layout)
            return buffers.map { [$0] }
        }
    }

    func queue(_ slot: FrameSlot) throws(SystemCallError) { try device.queue(slot.index) }

    func dequeue() throws(SystemCallError) -> DequeuedFrame? {
        guard let frame = try device.take() else { return nil }
        exposure = frame.exposure
        // Some pipelines do not count their frames.
        var sequence = frame.sequence
        if let last, frame.sequence == last.claim { sequence = last.number &+ 1 }
        last = (sequence, frame.sequence)
        let info = FrameInfo(
            timestamp: frame.sensorTimestamp > 0 ? frame.sensorTimestamp : frame.timestamp,
            sequence: sequence,
            bytesUsed: frame.bytesUsed > 0 ? frame.bytesUsed : layout?.bufferSizes[0] ?? 0)
        return DequeuedFrame(index: frame.slot, info: info, isDamaged: frame.isDamaged)
    }

    func start() throws(SystemCallError) {
        last = nil
        try device.start()
    }

    func pause() throws(SystemCallError) { try device.stop() }

    func stop() { try? device.stop() }

    func exposureTime() -> Int64? { exposure > 0 ? exposure : nil }
}
