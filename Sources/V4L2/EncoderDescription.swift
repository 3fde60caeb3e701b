// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO
public import Media

/// A device node that compresses pictures (`V4L2_CAP_VIDEO_M2M`).
public struct EncoderDescription: Sendable, Equatable {
    /// For example `/dev/video11`.
    public let path: String
    /// Who it says it is.
    public let capability: VideoCapability
    /// What it makes of pictures, in the driver's order.
    public let codedFormats: [PixelFormat]

    /// For people, for example "/dev/video11 (bcm2835-codec)".
    public var name: String { "\(path) (\(capability.card))" }

    /// All that make this of pictures, in node order. Nodes that may not be opened are left out.
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

    /// - Throws: `ENODEV` when it is no memory-to-memory device, else what opening and asking throw.
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

    /// Where pictures go in, and where they come out: two queues of one open file.
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
