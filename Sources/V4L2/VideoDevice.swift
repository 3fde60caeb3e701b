// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO

/// A V4L2 capture device, opened non-blocking. One thread at a time may use it. Kernel
/// documentation: userspace-api/media/v4l.
public final class VideoDevice {
    /// The path that the device was opened by.
    public let path: String
    /// The device's description when it was opened.
    public let capability: VideoCapability
    /// The descriptor: readable when a frame can be dequeued, `error` when the device has gone or
    /// stopped.
    public var number: CInt { descriptor.number }

    let descriptor: OwnedDescriptor
    /// `V4L2_BUF_TYPE_VIDEO_CAPTURE`, or its `_MPLANE` form if the driver supports only that.
    let bufferType: UInt32
    var memory: UInt32 = 0
    var memoryPlanes: UInt32 = 1

    /// Opens a device. Throws `ENOTTY` if it is no V4L2 device, `ENODEV` if it does not capture
    /// pictures by streaming.
    public init(path: String) throws(SystemCallError) {
        let descriptor = try OwnedDescriptor(open: path, flags: O_RDWR | O_NONBLOCK)
        let (raw, flags) = try Self.queryCapability(descriptor, path)
        let single = flags & cv4l2_cap_capture != 0
        guard single || flags & cv4l2_cap_capture_mplane != 0, flags & cv4l2_cap_streaming != 0
        else {
            throw SystemCallError(call: "VIDIOC_QUERYCAP", code: ENODEV, path: path)
        }
        self.path = path
        self.descriptor = consume descriptor
        bufferType = single ? cv4l2_capture : cv4l2_capture_mplane
        capability = VideoCapability(
            raw, multiplanar: !single, centredOnMedia: flags & cv4l2_cap_io_mc != 0)
    }

    /// Returns the description of the device and the capability flags of this node.
    static func queryCapability(
        _ descriptor: borrowing OwnedDescriptor, _ path: String
    ) throws(SystemCallError) -> (v4l2_capability, flags: UInt32) {
        let number = descriptor.number
        var raw = v4l2_capability()
        try systemCall("VIDIOC_QUERYCAP", path) { unsafe cv4l2_querycap(number, &raw) }
        let isPerNode = raw.capabilities & cv4l2_cap_device_caps != 0
        return (raw, isPerNode ? raw.device_caps : raw.capabilities)
    }

    /// Creates a device for one queue of a device that has two.
    init(
        _ descriptor: consuming OwnedDescriptor, path: String, _ capability: VideoCapability,
        bufferType: UInt32
    ) {
        self.path = path
        self.descriptor = descriptor
        self.capability = capability
        self.bufferType = bufferType
    }

    /// Whether the device has an input (`VIDIOC_ENUMINPUT`); memory-to-memory converters have none.
    public var hasInput: Bool { cv4l2_enum_input(descriptor.number, 0) == 0 }

    /// Whether the current input follows its source, as HDMI does (`V4L2_IN_CAP_DV_TIMINGS`).
    public var followsTimings: Bool { cv4l2_input_has_timings(descriptor.number) == 1 }

    /// Makes a request of this device; errors name its path.
    @discardableResult
    func request(_ call: String, _ body: (CInt) -> CInt) throws(SystemCallError) -> CInt {
        let number = descriptor.number
        return try systemCall(call, path) { body(number) }
    }
}

/// The description that a video device gives of itself. Corresponds to `VIDIOC_QUERYCAP`.
public struct VideoCapability: Sendable, Equatable {
    /// The driver, for example `uvcvideo`.
    public let driver: String
    /// The device's name.
    public let card: String
    /// The place where the device is plugged in, for example "usb-0000:01:00.0-1.2".
    public let busInfo: String
    /// Whether the multi-planar API is used.
    public let isMultiplanar: Bool
    /// Whether the device needs a pipeline set up through the media controller (`V4L2_CAP_IO_MC`).
    public let isMediaControllerCentric: Bool

    init(_ raw: v4l2_capability, multiplanar: Bool, centredOnMedia: Bool) {
        driver = text(raw.driver)
        card = text(raw.card)
        busInfo = text(raw.bus_info)
        isMultiplanar = multiplanar
        isMediaControllerCentric = centredOnMedia
    }
}
