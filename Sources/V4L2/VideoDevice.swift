// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO

/// A V4L2 capture device, opened non-blocking. Used by one thread at a time.
///
/// Kernel documentation: userspace-api/media/v4l.
public final class VideoDevice {
    /// The device file it was opened by.
    public let path: String
    /// As `VIDIOC_QUERYCAP` gave it at open.
    public let capability: VideoCapability
    /// Readable when a frame can be dequeued, `error` when the device has gone or stopped.
    public var number: CInt { descriptor.number }

    let descriptor: OwnedDescriptor
    /// `V4L2_BUF_TYPE_VIDEO_CAPTURE`, or its `_MPLANE` form where the driver knows only that.
    let bufferType: UInt32
    var memory: UInt32 = 0
    var memoryPlanes: UInt32 = 1

    /// - Throws: `ENOTTY` when it is no V4L2 device, `ENODEV` when it does not capture pictures by
    ///   streaming.
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

    /// What it says of itself, and what of that counts for this node.
    static func queryCapability(
        _ descriptor: borrowing OwnedDescriptor, _ path: String
    ) throws(SystemCallError) -> (v4l2_capability, flags: UInt32) {
        let number = descriptor.number
        var raw = v4l2_capability()
        try systemCall("VIDIOC_QUERYCAP", path) { unsafe cv4l2_querycap(number, &raw) }
        let isPerNode = raw.capabilities & cv4l2_cap_device_caps != 0
        return (raw, isPerNode ? raw.device_caps : raw.capabilities)
    }

    /// One queue of a device that has two.
    init(
        _ descriptor: consuming OwnedDescriptor, path: String, _ capability: VideoCapability,
        bufferType: UInt32
    ) {
        self.path = path
        self.descriptor = descriptor
        self.capability = capability
        self.bufferType = bufferType
    }

    /// Whether pictures come from somewhere outside: the nodes of memory-to-memory converters have no
    /// input. Corresponds to `VIDIOC_ENUMINPUT`.
    public var hasInput: Bool { cv4l2_enum_input(descriptor.number, 0) == 0 }

    /// Whether the current input follows what is plugged into it, as HDMI does. Corresponds to
    /// `V4L2_IN_CAP_DV_TIMINGS`.
    public var followsTimings: Bool { cv4l2_input_has_timings(descriptor.number) == 1 }

    /// Makes a request of this device; the error names it.
    @discardableResult
    func request(_ call: String, _ body: (CInt) -> CInt) throws(SystemCallError) -> CInt {
        let number = descriptor.number
        return try systemCall(call, path) { body(number) }
    }
}

/// Who a video device says it is. Corresponds to `VIDIOC_QUERYCAP`.
public struct VideoCapability: Sendable, Equatable {
    /// For example `uvcvideo`.
    public let driver: String
    /// What it calls itself.
    public let card: String
    /// Where it is plugged in, for example "usb-0000:01:00.0-1.2".
    public let busInfo: String
    /// Whether the multi-planar API is used.
    public let isMultiplanar: Bool
    /// Whether it works only as part of a pipeline that somebody has set up through the media
    /// controller (`V4L2_CAP_IO_MC`).
    public let isMediaControllerCentric: Bool

    init(_ raw: v4l2_capability, multiplanar: Bool, centredOnMedia: Bool) {
        driver = text(raw.driver)
        card = text(raw.card)
        busInfo = text(raw.bus_info)
        isMultiplanar = multiplanar
        isMediaControllerCentric = centredOnMedia
    }
}
