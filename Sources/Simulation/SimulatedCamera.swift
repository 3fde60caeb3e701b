// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
internal import Glibc
internal import LinuxIO
internal import Media

/// A camera without hardware: a moving pattern, or pictures from files.
public struct SimulatedCamera: CameraDriver {
    /// The identity, with the driver "simulated" and paths that name the source.
    public let identity: CameraIdentity
    /// The formats of the source, at least one.
    public let formats: [CaptureFormat]
    private let makeSource: @Sendable (CaptureFormat) throws(SystemCallError) -> any FrameSource

    /// Returns a camera that shows a moving pattern with a frame counter and a clock.
    public static func pattern() -> SimulatedCamera {
        let sizes = [(640, 480), (1280, 720), (1920, 1080)].map(Dimensions.init)
        let formats = sizes.flatMap { size in
            [PixelFormat.nv12, .xrgb].map {
                CaptureFormat(pixelFormat: $0, dimensions: size, maximumFrameRate: 60)
            }
        }
        return SimulatedCamera("Test pattern", "pattern", formats) {
            format throws(SystemCallError) in
            TestPattern(format)
        }
    }

    init(
        _ name: String, _ path: String, _ formats: [CaptureFormat],
        _ makeSource:
            @escaping @Sendable (CaptureFormat) throws(SystemCallError) ->
            any FrameSource
    ) {
        identity = CameraIdentity(
            name: name, path: path, driver: "simulated", busPath: "simulated:\(path)", serial: "",
            deviceType: .simulated)
        self.formats = formats
        self.makeSource = makeSource
    }

    /// Opens the camera, whose source starts when it is configured. Throws if there is no timer.
    public func open() throws(CaptureError) -> any CameraStream {
        do {
            return try SimulatedStream(makeSource)
        } catch {
            throw CaptureError(identity.name, error)
        }
    }
}

/// The source of a simulated camera's pictures. For one thread.
protocol FrameSource: AnyObject {
    /// Bytes of the largest compressed frame; ignored for other formats.
    var largestFrame: Int { get }
    /// Fills `pixels` with frame `sequence` and returns its bytes. Throws if no pictures are left.
    func fill(
        _ pixels: PixelAccess, sequence: UInt32, timestamp: Int64
    ) throws(SystemCallError) -> Int
}

/// Delivers frames at the pace of a timer in the buffers that are queued, as a driver would. A
/// frame without a buffer is dropped and its sequence number skipped.
final class SimulatedStream: CameraStream {
    private let makeSource: (CaptureFormat) throws(SystemCallError) -> any FrameSource
    private let timer: TimerDescriptor
    private var source: (any FrameSource)?
    private var description: FrameDescription?
    private var interval: Int64 = 33_333_333
    private var queued: [FrameSlot] = []
    private var nextFrame: Int64 = 0
    private var sequence: UInt32 = 0

    init(
        _ makeSource: @escaping (CaptureFormat) throws(SystemCallError) -> any FrameSource
    ) throws(SystemCallError) {
        self.makeSource = makeSource
        timer = try TimerDescriptor()
    }

    var readyDescriptor: CInt { timer.number }

    func configure(
        _ format: CaptureFormat, frameRate: Double?
    ) throws(SystemCallError) -> StreamDescription {
        let source = try makeSource(format)
        let rate = min(max(frameRate ?? 30, 1), format.maximumFrameRate)
        interval = Int64(1_000_000_000 / rate)
        let frame =
            FrameDescription(format.pixelFormat, format.dimensions, color: Self.color(format))
            ?? FrameDescription(
                pixelFormat: format.pixelFormat, dimensions: format.dimensions,
                planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)],
                bufferSizes: [source.largestFrame], color: .jpeg)
        self.source = source
        description = frame
        return StreamDescription(frame: frame, frameInterval: interval)
    }

    private static func color(_ format: CaptureFormat) -> ColorDescription {
        ColorDescription(
            matrix: .bt601, range: format.pixelFormat.isYUV ? .limited : .full)
    }

    func allocate(
        _ memory: StreamMemory, count: Int
    ) throws(SystemCallError) -> [[FrameBuffer]] {
        guard let description else { return [] }
        switch memory {
        case .imported: throw SystemCallError(call: "VIDIOC_REQBUFS", code: EINVAL)
        case .exported, .mapped:
            var frames: [[FrameBuffer]] = []
            for _ in 0..<count {
                frames.append([try FrameBuffer.memory(description.bufferSizes[0])])
            }
            return frames
        }
    }

    func queue(_ slot: FrameSlot) throws(SystemCallError) { queued.append(slot) }

    func start() throws(SystemCallError) {
        nextFrame = Clock.monotonic + interval
        try timer.arm(at: nextFrame)
    }

    func dequeue() throws(SystemCallError) -> DequeuedFrame? {
        guard timer.takeExpiry() else { return nil }
        let timestamp = nextFrame
        repeat {
            nextFrame += interval
            sequence &+= 1
        } while nextFrame < Clock.monotonic
        try timer.arm(at: nextFrame)
        guard !queued.isEmpty, let source else { return nil }
        let slot = queued.removeFirst()
        let (number, time) = (sequence, timestamp)
        let bytes: Int
        do {
            bytes = try unsafe slot.withPixels(.write) { pixels in
                try unsafe source.fill(pixels, sequence: number, timestamp: time)
            }
        } catch {
            throw error as? SystemCallError ?? SystemCallError(call: "fill", code: EIO)
        }
        let info = FrameInfo(timestamp: timestamp, sequence: number, bytesUsed: bytes)
        return DequeuedFrame(index: slot.index, info: info, isDamaged: false)
    }

    func pause() throws(SystemCallError) { queued.removeAll(keepingCapacity: true) }

    func stop() { queued.removeAll() }

    func exposureTime() -> Int64? { nil }
}
