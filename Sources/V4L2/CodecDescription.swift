// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO
public import Media

/// A device node that compresses or decompresses pictures (`V4L2_CAP_VIDEO_M2M`).
public struct CodecDescription: Sendable, Equatable {
    /// The device file, for example `/dev/video11`.
    public let path: String
    /// The description that the device gives of itself.
    public let capability: VideoCapability
    /// The formats that the device reads, in the driver's order.
    public let inputFormats: [PixelFormat]
    /// The formats that the device makes, in the driver's order.
    public let outputFormats: [PixelFormat]

    /// The name for people, for example "/dev/video11 (bcm2835-codec)".
    public var name: String { "\(path) (\(capability.card))" }

    /// Returns all devices that compress pictures to this format, in node order. Nodes that cannot
    /// be opened are left out.
    public static func encoders(to format: PixelFormat) -> [CodecDescription] {
        all { $0.outputFormats.contains(format) }
    }

    /// Returns all devices that decompress this format, as ``encoders(to:)`` does.
    public static func decoders(of format: PixelFormat) -> [CodecDescription] {
        all { $0.inputFormats.contains(format) }
    }

    private static func all(where isWanted: (CodecDescription) -> Bool) -> [CodecDescription] {
        // V4L2 has 256 nodes (VIDEO_NUM_DEVICES).
        (0..<256).compactMap { number in
            let path = "/dev/video\(number)"
            guard unsafe access(path, F_OK) == 0, let codec = try? CodecDescription(path: path),
                isWanted(codec)
            else { return nil }
            return codec
        }
    }

    /// Queries a device. Throws `ENODEV` if it is no memory-to-memory device, or the error of
    /// opening or querying it.
    public init(path: String) throws(SystemCallError) {
        self.path = path
        let descriptor = try OwnedDescriptor(open: path, flags: O_RDWR | O_NONBLOCK)
        let (raw, flags) = try VideoDevice.queryCapability(descriptor, path)
        let isMultiplanar = flags & cv4l2_cap_m2m_mplane != 0
        guard isMultiplanar || flags & cv4l2_cap_m2m != 0, flags & cv4l2_cap_streaming != 0 else {
            throw SystemCallError(call: "VIDIOC_QUERYCAP", code: ENODEV, path: path)
        }
        capability = VideoCapability(
            raw, multiplanar: isMultiplanar, centredOnMedia: flags & cv4l2_cap_io_mc != 0)
        let (source, sink) = try Self.queues(descriptor, path, capability)
        inputFormats = try source.pixelFormats()
        outputFormats = try sink.pixelFormats()
    }

    /// Opens the device. Pictures or data go into the source queue, and their counterparts come out
    /// of the sink queue; both share one open file.
    func open() throws(SystemCallError) -> (source: VideoDevice, sink: VideoDevice) {
        try Self.queues(
            OwnedDescriptor(open: path, flags: O_RDWR | O_NONBLOCK), path, capability)
    }

    private static func queues(
        _ first: consuming OwnedDescriptor, _ path: String, _ capability: VideoCapability
    ) throws(SystemCallError) -> (source: VideoDevice, sink: VideoDevice) {
        let second = try first.duplicate()
        let (output, capture) =
            capability.isMultiplanar
            ? (cv4l2_output_mplane, cv4l2_capture_mplane) : (cv4l2_output, cv4l2_capture)
        return (
            VideoDevice(first, path: path, capability, bufferType: output),
            VideoDevice(second, path: path, capability, bufferType: capture)
        )
    }
}
