// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import LinuxIO
internal import Media
internal import V4L2

/// A camera behind a V4L2 device node.
public struct V4L2Camera: CameraDriver {
    public let identity: CameraIdentity
    public let formats: [CaptureFormat]

    /// - Throws: when `path` is no capture device, or may not be opened.
    public init(path: String) throws(SystemCallError) {
        let device = try VideoDevice(path: path)
        let capability = device.capability
        identity = CameraIdentity(
            name: capability.card, path: path, driver: capability.driver,
            busPath: capability.busInfo, serial: Self.serial(path))
        formats = try Self.formats(of: device)
    }

    /// All cameras that are plugged in, in node order; nodes that refuse are reported beside them.
    public static func discover() -> (cameras: [V4L2Camera], refusals: [SystemCallError]) {
        var cameras: [V4L2Camera] = []
        var refusals: [SystemCallError] = []
        for number in 0..<64 {
            let path = "/dev/video\(number)"
            guard unsafe access(path, F_OK) == 0 else { continue }
            do throws(SystemCallError) {
                let camera = try V4L2Camera(path: path)
                if !camera.formats.isEmpty { cameras.append(camera) }
            } catch {
                // Nodes for metadata, codecs and outputs are not cameras: no refusal.
                if !error.isGone && error.code != ENOTTY { refusals.append(error) }
            }
        }
        return (cameras, refusals)
    }

    public func open() throws(CaptureError) -> any CameraStream {
        do {
            return V4L2Stream(try VideoDevice(path: identity.path))
        } catch {
            throw CaptureError(identity.name, error)
        }
    }

    /// The USB serial number, found above the device in sysfs.
    private static func serial(_ path: String) -> String {
        guard let node = path.split(separator: "/").last else { return "" }
        let above = "/sys/class/video4linux/\(node)/device/../serial"
        return (try? readSmallFile(above))?.split(separator: "\n").first.map(String.init) ?? ""
    }

    private static func formats(of device: VideoDevice) throws(SystemCallError) -> [CaptureFormat] {
        var formats: [CaptureFormat] = []
        for pixelFormat in try device.pixelFormats() where pixelFormat.isSupported {
            for range in try device.frameSizes(pixelFormat) {
                let sizes = range.isDiscrete ? [range.maximum] : common.filter(range.contains)
                for size in sizes {
                    let rates = try device.frameIntervals(pixelFormat, size)
                        .map(\.shortest.framesPerSecond)
                    formats.append(
                        CaptureFormat(
                            pixelFormat: pixelFormat, dimensions: size,
                            maximumFrameRate: rates.max() ?? 0))
                }
            }
        }
        return formats
    }

    /// Tried where a device offers a range of sizes.
    private static let common = [
        (320, 240), (640, 360), (640, 480), (800, 600), (1024, 768), (1280, 720), (1280, 960),
        (1920, 1080), (2560, 1440), (3840, 2160),
    ].map(Dimensions.init)
}

extension PixelFormat {
    /// Whether Vitrine knows what to do with it.
    var isSupported: Bool {
        if isCompressed { return true }
        let size = Dimensions(width: 16, height: 16)
        return FrameDescription(self, size) != nil && self != .argb
    }
}

/// A V4L2 device as a stream of frames.
final class V4L2Stream: CameraStream {
    private let device: VideoDevice
    private var isImporting = false
    private var hasExposure: Bool?

    init(_ device: VideoDevice) { self.device = device }

    var readyDescriptor: CInt { device.number }

    func configure(
        _ format: CaptureFormat, frameRate: Double?
    ) throws(SystemCallError) -> StreamDescription {
        let frame = try device.setFormat(format.pixelFormat, format.dimensions)
        let intervals = try device.frameIntervals(frame.pixelFormat, frame.dimensions)
        let wanted = frameRate ?? format.maximumFrameRate
        let interval = try Self.interval(wanted, intervals).map(device.setFrameInterval) ?? nil
        return StreamDescription(frame: frame, frameInterval: interval?.nanoseconds ?? 0)
    }

    /// The offered interval nearest to a rate; the rate as a fraction where any is allowed.
    private static func interval(
        _ rate: Double, _ offered: [(shortest: FrameInterval, longest: FrameInterval)]
    ) -> FrameInterval? {
        guard rate > 0 else { return offered.first?.shortest }
        let exact = FrameInterval(numerator: 1000, denominator: UInt32((rate * 1000).rounded()))
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
        var frames: [[FrameBuffer]] = []
        switch memory {
        case .imported(let buffers):
            let granted = try device.requestBuffers(buffers.count, .dmaBuf)
            isImporting = true
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
        isImporting = false
        return frames
    }

    func queue(_ slot: FrameSlot) throws(SystemCallError) {
        try device.queue(slot.index, slot.buffers)
    }

    func dequeue() throws(SystemCallError) -> DequeuedFrame? { try device.dequeue() }

    func start() throws(SystemCallError) { try device.streamOn() }

    func pause() throws(SystemCallError) { try device.streamOff() }

    func stop() {
        try? device.streamOff()
        // Exported buffers stay with whoever holds their DMA-BUFs (since Linux 5.0).
        _ = try? device.requestBuffers(0, isImporting ? .dmaBuf : .mmap)
    }

    func exposureTime() -> Int64? {
        if hasExposure == false { return nil }
        let value = try? device.value(ofControl: VideoControl.exposureAbsolute)
        hasExposure = value != nil
        return value.map { $0 * 100_000 }
    }
}
