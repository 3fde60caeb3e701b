// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import CV4LConvert
internal import Glibc
public import LinuxIO
public import Media
internal import Synchronization

/// A pixel format that only libv4lconvert can read, as a device delivers it.
public struct ForeignFormat: Sendable {
    /// The call's name in errors that come from the library.
    public static let library = "libv4lconvert"

    /// The format's code, which the driver and the library share.
    public let pixelFormat: PixelFormat
    /// The size in pixels.
    public let dimensions: Dimensions
    package let bytesPerRow: Int
    let size: Int
    /// The colours of the converted frame.
    package let color: ColorDescription
}

extension VideoDevice {
    /// Sets a format that ``FrameDescription`` does not know (`VIDIOC_S_FMT`). Throws `EINVAL` if
    /// the driver chose another format, or one in several memory planes.
    public func setForeignFormat(
        _ format: PixelFormat, _ size: Dimensions
    ) throws(SystemCallError) -> ForeignFormat {
        let picture = try setPicture(format, size)
        guard picture.pixelformat == format.fourCC, memoryPlanes == 1 else {
            throw SystemCallError(call: "VIDIOC_S_FMT", code: EINVAL, path: path)
        }
        // The library converts RGB to BT.601. Formats with luma and chroma keep their colours.
        let isRGB = [V4L2_COLORSPACE_SRGB.rawValue, V4L2_COLORSPACE_RAW.rawValue]
            .contains(picture.colorspace)
        return ForeignFormat(
            pixelFormat: format,
            dimensions: Dimensions(width: Int(picture.width), height: Int(picture.height)),
            bytesPerRow: Int(picture.bytesperline.0), size: Int(picture.sizeimage.0),
            color: isRGB
                ? ColorDescription(matrix: .bt601, range: .limited)
                : ColorDescription(picture, .yuyv))
    }
}

extension ForeignFormat {
    private static let known = Mutex<[PixelFormat: Bool]>([:])

    /// Returns whether the library reads this format. The first call for a format tries one frame.
    /// The library requires a device, but any will do.
    package static func isReadable(_ format: PixelFormat, by device: VideoDevice) -> Bool {
        known.withLock { known in
            if let answer = known[format] { return answer }
            let small = ForeignFormat(
                pixelFormat: format, dimensions: Dimensions(width: 32, height: 32), bytesPerRow: 64,
                size: 64 * 32, color: .jpeg)
            let answer = (try? ForeignFrameConverter(device, small)) != nil
            known[format] = answer
            return answer
        }
    }
}

/// A converter of frames that only libv4lconvert reads to ``PixelFormat/yuv420``. For one thread.
@safe
public final class ForeignFrameConverter {
    /// The layout of converted frames.
    public let description: FrameDescription
    /// The format of the frames to convert.
    public let format: ForeignFormat
    private let data: OpaquePointer
    private var source: v4l2_format
    private var target: v4l2_format
    private let device: VideoDevice
    /// A copy of a raw sensor frame, otherwise empty. The library changes sensor values in place
    /// (narrows them to bytes, balances white, flips), but others may need the original.
    private var copy: [UInt8] = []

    /// Throws `EINVAL` if the library does not know the format, `ENOMEM`.
    public init(_ device: VideoDevice, _ format: ForeignFormat) throws(SystemCallError) {
        let size = format.dimensions
        guard let description = FrameDescription(.yuv420, size, color: format.color) else {
            throw SystemCallError(call: ForeignFormat.library, code: EINVAL, path: device.path)
        }
        guard let data = unsafe v4lconvert_create(device.number) else {
            throw SystemCallError(call: "v4lconvert_create", code: ENOMEM, path: device.path)
        }
        unsafe self.data = data
        self.device = device
        self.format = format
        self.description = description
        let (width, height) = (UInt32(size.width), UInt32(size.height))
        unsafe source = cv4lconvert_picture(
            format.pixelFormat.fourCC, width, height, UInt32(format.bytesPerRow),
            UInt32(format.size))
        unsafe target = cv4lconvert_picture(
            PixelFormat.yuv420.fourCC, width, height, width, UInt32(description.bufferSizes[0]))
        try tryOut(format)
        if RawPixelFormat(format.pixelFormat) != nil {
            copy = [UInt8](repeating: 0, count: format.size)
        }
    }

    deinit { unsafe v4lconvert_destroy(data) }

    /// Converts an empty frame to find out whether the library knows the format. Other failures are
    /// ignored, because an empty frame may count as damaged.
    private func tryOut(_ format: ForeignFormat) throws(SystemCallError) {
        var empty = [UInt8](repeating: 0, count: format.size)
        var result = [UInt8](repeating: 0, count: description.bufferSizes[0])
        let count = unsafe v4lconvert_convert(
            data, &source, &target, &empty, CInt(empty.count), &result, CInt(result.count))
        let reason = unsafe String(cString: v4lconvert_get_error_message(data))
        if count < 0, reason.contains("Unknown src format") {
            throw SystemCallError(
                call: ForeignFormat.library, code: EINVAL,
                path: "\(device.path): \(format.pixelFormat)")
        }
    }

    /// Converts a frame into `picture`, which has room for ``description``. Returns whether the
    /// frame gave a whole picture.
    @unsafe
    public func convert(
        _ frame: UnsafeMutableRawBufferPointer, into picture: UnsafeMutableRawBufferPointer
    ) -> Bool {
        if copy.isEmpty { return unsafe convert(bytes: frame, picture) }
        return unsafe copy.withUnsafeMutableBytes { copy in
            let count = min(frame.count, copy.count)
            unsafe copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: frame[..<count]))
            return unsafe convert(
                bytes: UnsafeMutableRawBufferPointer(rebasing: copy[..<count]), picture)
        }
    }

    private func convert(
        bytes: UnsafeMutableRawBufferPointer, _ picture: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let from = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let to = unsafe picture.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let count = unsafe v4lconvert_convert(
            data, &source, &target, from, CInt(bytes.count), to, CInt(picture.count))
        return count == description.bufferSizes[0]
    }
}
