// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media

/// One combination of pixel format, size and frame rates that a camera offers.
public struct CaptureFormat: Sendable, Hashable, CustomStringConvertible {
    /// The pixel format of frames. They are made from ``converted`` if that is set.
    public var pixelFormat: PixelFormat
    /// The size in pixels. If the driver offers a range, this is a usual size within it, its
    /// largest, or the one asked for.
    public var dimensions: Dimensions
    /// The highest frame rate, per second; 0 if the driver does not report it.
    public var maximumFrameRate: Double
    /// The available frame rates per second (AVCaptureDevice.Format.videoSupportedFrameRateRanges);
    /// empty if the driver reports none. A single rate is a range with equal ends.
    public var videoSupportedFrameRateRanges: [ClosedRange<Double>]
    /// The camera's own format, if `pixelFormat` is converted from it; otherwise `nil`.
    public var converted: PixelFormat?
    /// Whether the format is chosen only if asked for by name: H.264 and raw sensor formats of a
    /// camera that has others.
    public var isOnRequest: Bool

    /// Creates a format; nothing is checked. `nil` ranges mean that only the highest rate is known.
    public init(
        pixelFormat: PixelFormat, dimensions: Dimensions, maximumFrameRate: Double,
        frameRateRanges: [ClosedRange<Double>]? = nil, converted: PixelFormat? = nil,
        isOnRequest: Bool = false
    ) {
        let known = maximumFrameRate > 0 ? [maximumFrameRate...maximumFrameRate] : []
        videoSupportedFrameRateRanges = frameRateRanges ?? known
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.maximumFrameRate = maximumFrameRate
        self.converted = converted
        self.isOnRequest = isOnRequest
    }

    /// The format that the camera itself delivers.
    public var cameraFormat: PixelFormat { converted ?? pixelFormat }

    /// The frame rate, per second, unless more is requested: at most 60. Usual displays show no
    /// more, and the frames held for late presses must reach back far enough.
    var usualFrameRate: Double { min(maximumFrameRate, 60) }

    /// The size, the camera's own format and the rounded rate, for example "1280x720 MJPG 30/s".
    public var description: String {
        "\(dimensions) \(cameraFormat) \(Int(maximumFrameRate.rounded()))/s"
    }
}

/// The properties that identify a camera, so that it is found again after it was unplugged.
public struct CameraIdentity: Sendable, Hashable {
    /// The name that the camera reports.
    public var name: String
    /// The device node, which may change when the camera is plugged in again.
    public var path: String
    /// The kernel driver, for example `uvcvideo`; `simulated` for a camera without hardware.
    public var driver: String
    /// The bus path: where the camera is plugged in.
    public var busPath: String
    /// The maker's serial number; empty if there is none.
    public var serial: String
    /// How the camera is connected.
    public var deviceType: CaptureDevice.DeviceType
    /// The direction that the camera faces, as its driver reports; `external` if it reports none.
    public var position: CaptureDevice.Position

    /// Creates an identity; nothing is checked.
    public init(
        name: String, path: String, driver: String, busPath: String, serial: String,
        deviceType: CaptureDevice.DeviceType, position: CaptureDevice.Position = .external
    ) {
        self.deviceType = deviceType
        self.position = position
        self.name = name
        self.path = path
        self.driver = driver
        self.busPath = busPath
        self.serial = serial
    }
}

extension CameraIdentity {
    /// Whether both are the same device in the same place, whatever their device nodes.
    public func isSameCamera(as other: CameraIdentity) -> Bool {
        (driver, busPath, serial) == (other.driver, other.busPath, other.serial)
    }
}

/// A source of camera streams: a V4L2 device or a simulation. Any thread.
public protocol CameraDriver: Sendable {
    var identity: CameraIdentity { get }
    var formats: [CaptureFormat] { get }
    /// Opens the camera. A conflict with another program may show only in
    /// ``CameraStream/configure(_:frameRate:)``.
    func open() throws(CaptureError) -> any CameraStream
    /// Checks whether the camera can be used now; changes nothing. Throws
    /// ``CaptureError/Code/busy`` while another program streams from it (see
    /// ``CaptureError/holders``).
    func checkAvailability() throws(CaptureError)
}

extension CameraDriver {
    /// Does nothing: no other program can use the camera.
    public func checkAvailability() throws(CaptureError) {}
}

/// The source of a stream's frame memory.
public enum StreamMemory: Sendable {
    /// The driver's memory, exported as DMA-BUFs and not mapped.
    case exported
    /// The driver's memory, mapped for the CPU.
    case mapped
    /// DMA-BUFs that another device or a heap allocated, one array per frame.
    case imported([[FrameBuffer]])
}

/// An open camera, closed with its last reference. One thread makes all calls, in this order:
/// `configure`, `allocate`, `queue` of every frame, `start`, `dequeue` and `queue` in turn, `stop`;
/// then again from `configure`. If that thread hangs and is abandoned, another thread calls `stop`
/// meanwhile, which may hang too.
public protocol CameraStream: AnyObject {
    /// A descriptor: readable when a frame can be dequeued, in error when the camera is gone.
    var readyDescriptor: CInt { get }
    /// Sets format and rate. Returns what the driver granted.
    func configure(_ format: CaptureFormat, frameRate: Double?) throws(SystemCallError)
        -> StreamDescription
    /// Allocates `count` frames of memory; the driver may grant more or fewer.
    func allocate(_ memory: StreamMemory, count: Int) throws(SystemCallError) -> [[FrameBuffer]]
    func queue(_ slot: FrameSlot) throws(SystemCallError)
    /// Returns a filled frame, or `nil`. Never blocks.
    func dequeue() throws(SystemCallError) -> DequeuedFrame?
    func start() throws(SystemCallError)
    /// Stops streaming until the next `start`, before which all queued frames must be queued again.
    func pause() throws(SystemCallError)
    /// Ends streaming and takes every frame back. Memory is freed with its last user.
    func stop()
    /// Returns the exposure time in nanoseconds, or `nil` if the driver does not report it.
    func exposureTime() -> Int64?
    /// Returns whether the plugged-in source sends another signal, or none; the camera must then be
    /// opened again. The caller asks when ``readyDescriptor`` is ready for `priority`.
    func sourceHasChanged() throws(SystemCallError) -> Bool
}

extension CameraStream {
    /// Returns `false`.
    public func sourceHasChanged() throws(SystemCallError) -> Bool { false }
}

/// The frames that a configured camera delivers.
public struct StreamDescription: Sendable {
    /// The granted format, size and memory layout, which may differ from those asked for.
    public var frame: FrameDescription
    /// Nanoseconds between frames; 0 if unknown.
    public var frameInterval: Int64
    /// The number of frames in memory; `nil` before they are allocated.
    public var frameCount: Int?
    /// The frames that displays and camera leave to other outputs; `nil` if unknown.
    public internal(set) var spareFrameCount: Int?
    /// The camera's own format, from which `frame` may be converted.
    public var cameraFormat: PixelFormat
    /// The camera that delivers the frames; `nil` while it is configured.
    public var camera: CameraIdentity?

    /// - Parameter converted: the camera's own format, if frames are converted from it.
    public init(
        frame: FrameDescription, frameInterval: Int64, converted: PixelFormat? = nil
    ) {
        self.frame = frame
        self.frameInterval = frameInterval
        cameraFormat = converted ?? frame.pixelFormat
    }
}
