// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media

/// One combination of pixel format, size and frame rate that a camera offers.
public struct CaptureFormat: Sendable, Hashable, CustomStringConvertible {
    /// What frames hold; made from ``converted`` where there is one.
    public var pixelFormat: PixelFormat
    /// In pixels; where a driver offers a range, a usual size in it, its largest, or the one asked for.
    public var dimensions: Dimensions
    /// Frames per second at the most; 0 when the driver does not tell.
    public var maximumFrameRate: Double
    /// Frames per second that can be had, each range's ends the same where only that one can
    /// (AVCaptureDevice.Format.videoSupportedFrameRateRanges); empty when the driver does not tell.
    public var videoSupportedFrameRateRanges: [ClosedRange<Double>]
    /// What the camera itself delivers, where `pixelFormat` is only made of it.
    public var converted: PixelFormat?
    /// Whether it is only used where it is asked for by name: H.264 and a sensor's own, of a camera that has others.
    public var isOnRequest: Bool

    /// Of the given parts; nothing is checked. Without ranges only the highest rate is known.
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

    /// The camera's own.
    public var cameraFormat: PixelFormat { converted ?? pixelFormat }

    /// For example "1280x720 MJPG 30/s": the camera's own format, the rate rounded.
    public var description: String {
        "\(dimensions) \(cameraFormat) \(Int(maximumFrameRate.rounded()))/s"
    }
}

/// Who a camera is, so that it is found again after it was unplugged.
public struct CameraIdentity: Sendable, Hashable {
    /// What the camera calls itself.
    public var name: String
    /// The device node, which may change when it is plugged in again.
    public var path: String
    /// The kernel driver, for example `uvcvideo`; `simulated` for a camera without hardware.
    public var driver: String
    /// Where it is plugged in.
    public var busPath: String
    /// The maker's serial number; empty when it has none.
    public var serial: String
    /// How it is connected.
    public var deviceType: CaptureDevice.DeviceType
    /// Which way it looks, as its driver says; `external` where that does not.
    public var position: CaptureDevice.Position

    /// Of the given parts; nothing is checked.
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
    /// Whether it is the same device in the same place, whatever its node is called.
    public func isSameCamera(as other: CameraIdentity) -> Bool {
        (driver, busPath, serial) == (other.driver, other.busPath, other.serial)
    }
}

/// Something that cameras are made of: V4L2 devices, or a simulation. Any thread.
public protocol CameraDriver: Sendable {
    var identity: CameraIdentity { get }
    var formats: [CaptureFormat] { get }
    /// Opens the camera. That another program uses it may show only when it is configured.
    func open() throws(CaptureError) -> any CameraStream
    /// Asks whether it can be had now, and changes nothing. Throws ``CaptureError/Code/busy`` where somebody streams from
    /// it: ``CaptureError/holders`` says who.
    func checkAvailability() throws(CaptureError)
}

extension CameraDriver {
    /// Nobody else can have it.
    public func checkAvailability() throws(CaptureError) {}
}

/// Where frame memory comes from.
public enum StreamMemory: Sendable {
    /// The driver's, exported as DMA-BUFs and not mapped.
    case exported
    /// The driver's, mapped for the CPU.
    case mapped
    /// Somebody else's DMA-BUFs, one list a frame.
    case imported([[FrameBuffer]])
}

/// An open camera, closed with its last reference. All calls are made on one thread, in this order:
/// `configure`, `allocate`, `queue` of every frame, `start`, `dequeue` and `queue` in turn, `stop`; then
/// again from `configure`. When its thread hangs and is given up, another one calls `stop`
/// meanwhile, which may hang as well.
public protocol CameraStream: AnyObject {
    /// Readable when a frame can be dequeued; in error when the camera has gone.
    var readyDescriptor: CInt { get }
    /// Sets format and rate; answers what the camera really does.
    func configure(_ format: CaptureFormat, frameRate: Double?) throws(SystemCallError)
        -> StreamDescription
    /// Gets `count` frames of memory, possibly more or fewer.
    func allocate(_ memory: StreamMemory, count: Int) throws(SystemCallError) -> [[FrameBuffer]]
    /// Gives the camera a frame to fill.
    func queue(_ slot: FrameSlot) throws(SystemCallError)
    /// A filled frame, or `nil`. Never blocks.
    func dequeue() throws(SystemCallError) -> DequeuedFrame?
    func start() throws(SystemCallError)
    /// Stops streaming for a moment: every queued frame must be queued again before `start`.
    func pause() throws(SystemCallError)
    /// Ends streaming and takes every frame back; what was allocated is freed with its last user.
    func stop()
    /// Exposure time in nanoseconds, if the driver tells.
    func exposureTime() -> Int64?
    /// Whether what is plugged into it has begun to send something else, or nothing: to be opened anew. Asked when
    /// ``readyDescriptor`` is ready for `priority`.
    func sourceHasChanged() throws(SystemCallError) -> Bool
}

extension CameraStream {
    /// Never, where a camera does not say.
    public func sourceHasChanged() throws(SystemCallError) -> Bool { false }
}

/// What a configured camera delivers.
public struct StreamDescription: Sendable {
    /// Format, size and memory layout as they were granted, which may be other than was asked for.
    public var frame: FrameDescription
    /// Nanoseconds from frame to frame; 0 when unknown.
    public var frameInterval: Int64
    /// Frames of memory that it has; `nil` before they are allocated.
    public var frameCount: Int?
    /// Of those, what displays and camera leave to others; `nil` where the number is not known.
    public internal(set) var spareFrameCount: Int?
    /// What the camera itself delivers, which `frame` may only be made of.
    public var cameraFormat: PixelFormat
    /// Whose frames they are; `nil` while it is configured.
    public var camera: CameraIdentity?

    /// - Parameter converted: the camera's own format, where the frame's is made of it.
    public init(
        frame: FrameDescription, frameInterval: Int64, converted: PixelFormat? = nil
    ) {
        self.frame = frame
        self.frameInterval = frameInterval
        cameraFormat = converted ?? frame.pixelFormat
    }
}
