// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO
public import Media

/// A device node that compresses pictures (`V4L2_CAP_VIDEO_M2M`).
public struct EncoderDescription: Sendable, Equatable {
    /// The device file, for example `/dev/video11`.
    public let path: String
    /// The description that the device gives of itself.
    public let capability: VideoCapability
    /// The formats that the device encodes to, in the driver's order.
    public let codedFormats: [PixelFormat]

    /// The name for people, for example "/dev/video11 (bcm2835-codec)".
    public var name: String { "\(path) (\(capability.card))" }

    /// Returns all encoders of this format in node order. Nodes that cannot be opened are left out.
    public static func all(for format: PixelFormat) -> [EncoderDescription] {
        // V4L2 has 256 nodes (VIDEO_NUM_DEVICES).
        (0..<256).compactMap { number in
            let path = "/dev/video\(number)"
            guard unsafe access(path, F_OK) == 0,
                let encoder = try? EncoderDescription(path: path),
                encoder.codedFormats.contains(format)
            else { return nil }
            return encoder
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
        let sink = VideoDevice(
            descriptor, path: path, capability,
            bufferType: isMultiplanar ? cv4l2_capture_mplane : cv4l2_capture)
        codedFormats = try sink.pixelFormats()
    }

    /// Opens the device. Pictures go into the source queue and come out of the sink queue
    /// compressed; both share one open file.
    func open() throws(SystemCallError) -> (source: VideoDevice, sink: VideoDevice) {
        let first = try OwnedDescriptor(open: path, flags: O_RDWR | O_NONBLOCK)
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
