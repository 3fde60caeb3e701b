// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO
public import Media

/// The sizes that a device offers for one pixel format: one size, or a range.
public struct FrameSizeRange: Sendable, Hashable {
    /// The smallest size in pixels.
    public let minimum: Dimensions
    /// The largest size in pixels; equal to ``minimum`` for a single size.
    public let maximum: Dimensions
    /// The steps between the sizes of a range, at least 1; 0 for a single size.
    public let step: Dimensions

    /// Creates a range from its parts; nothing is checked.
    public init(minimum: Dimensions, maximum: Dimensions, step: Dimensions) {
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
    }

    /// Whether this is a single size.
    public var isDiscrete: Bool { minimum == maximum }

    /// Returns whether the device offers exactly this size.
    public func contains(_ size: Dimensions) -> Bool {
        func fits(_ value: Int, _ low: Int, _ high: Int, _ step: Int) -> Bool {
            value >= low && value <= high && (value - low) % max(step, 1) == 0
        }
        return fits(size.width, minimum.width, maximum.width, step.width)
            && fits(size.height, minimum.height, maximum.height, step.height)
    }
}

/// A frame interval as the driver's exact fraction of a second.
public struct FrameInterval: Sendable, Hashable {
    /// The numerator of the interval in seconds.
    public let numerator: UInt32
    /// The denominator as the driver gives it; it may be 0.
    public let denominator: UInt32

    /// Creates an interval; nothing is checked.
    public init(numerator: UInt32, denominator: UInt32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The frame rate; 0 if the numerator is 0.
    public var framesPerSecond: Double {
        numerator == 0 ? 0 : Double(denominator) / Double(numerator)
    }
    /// The interval in nanoseconds, rounded down; 0 if the denominator is 0.
    public var nanoseconds: Int64 {
        denominator == 0 ? 0 : Int64(numerator) * 1_000_000_000 / Int64(denominator)
    }
}

extension VideoDevice {
    /// Returns the formats in the driver's order. Corresponds to `VIDIOC_ENUM_FMT`.
    public func pixelFormats() throws(SystemCallError) -> [PixelFormat] {
        try enumerate("VIDIOC_ENUM_FMT") { index throws(SystemCallError) in
            var raw = v4l2_fmtdesc()
            try request("VIDIOC_ENUM_FMT") { unsafe cv4l2_enum_fmt($0, bufferType, index, &raw) }
            return PixelFormat(fourCC: raw.pixelformat)
        }
    }

    /// Returns the sizes of a format; empty if the driver lists none (`VIDIOC_ENUM_FRAMESIZES`).
    public func frameSizes(_ format: PixelFormat) throws(SystemCallError) -> [FrameSizeRange] {
        try enumerate("VIDIOC_ENUM_FRAMESIZES") { index throws(SystemCallError) in
            var raw = cv4l2_size()
            try request("VIDIOC_ENUM_FRAMESIZES") {
                unsafe cv4l2_enum_framesizes($0, index, format.fourCC, &raw)
            }
            return FrameSizeRange(
                minimum: Dimensions(width: Int(raw.min_width), height: Int(raw.min_height)),
                maximum: Dimensions(width: Int(raw.max_width), height: Int(raw.max_height)),
                step: Dimensions(width: Int(raw.step_width), height: Int(raw.step_height)))
        }
    }

    /// Returns the current format. Corresponds to `VIDIOC_G_FMT`.
    func picture() throws(SystemCallError) -> cv4l2_picture {
        var picture = cv4l2_picture()
        try request("VIDIOC_G_FMT") { unsafe cv4l2_g_fmt($0, bufferType, &picture) }
        return picture
    }

    /// Returns the current size. Corresponds to `VIDIOC_G_FMT`.
    public func currentSize() throws(SystemCallError) -> Dimensions {
        let picture = try picture()
        return Dimensions(width: Int(picture.width), height: Int(picture.height))
    }

    /// Returns the shortest and longest interval of each entry, equal for a discrete one; empty if
    /// the driver lists none. Corresponds to `VIDIOC_ENUM_FRAMEINTERVALS`.
    public func frameIntervals(
        _ format: PixelFormat, _ size: Dimensions
    ) throws(SystemCallError) -> [(shortest: FrameInterval, longest: FrameInterval)] {
        try enumerate("VIDIOC_ENUM_FRAMEINTERVALS") { index throws(SystemCallError) in
            var raw = cv4l2_interval()
            try request("VIDIOC_ENUM_FRAMEINTERVALS") {
                unsafe cv4l2_enum_frameintervals(
                    $0, index, format.fourCC, UInt32(size.width), UInt32(size.height), &raw)
            }
            return (
                FrameInterval(numerator: raw.min_numerator, denominator: raw.min_denominator),
                FrameInterval(numerator: raw.max_numerator, denominator: raw.max_denominator)
            )
        }
    }

    /// Collects elements until `EINVAL`, the end, or `ENOTTY`, from drivers without the call.
    private func enumerate<Element>(
        _ call: String, _ element: (UInt32) throws(SystemCallError) -> Element
    ) throws(SystemCallError) -> [Element] {
        var elements: [Element] = []
        while elements.count < 256 {
            do throws(SystemCallError) {
                elements.append(try element(UInt32(elements.count)))
            } catch {
                if error.code == EINVAL || error.code == ENOTTY { break }
                throw error
            }
        }
        return elements
    }

    /// Sets a format and returns the driver's choice, which may be another (`VIDIOC_S_FMT`).
    public func setFormat(
        _ format: PixelFormat, _ size: Dimensions
    ) throws(SystemCallError) -> FrameDescription {
        guard let description = FrameDescription(try setPicture(format, size)) else {
            throw SystemCallError(call: "VIDIOC_S_FMT", code: EINVAL, path: path)
        }
        return description
    }

    /// Sets a format and returns the driver's choice, which may be another. Asks for buffers of
    /// `bytes`, where the driver might choose less; 0 leaves their size to it.
    func setPicture(
        _ format: PixelFormat, _ size: Dimensions, bytes: Int = 0
    ) throws(SystemCallError) -> cv4l2_picture {
        var picture = cv4l2_picture()
        if bytes > 0 { (picture.planes, picture.sizeimage.0) = (1, UInt32(bytes)) }
        picture.width = UInt32(size.width)
        picture.height = UInt32(size.height)
        picture.pixelformat = format.fourCC
        try request("VIDIOC_S_FMT") { unsafe cv4l2_s_fmt($0, bufferType, &picture) }
        // Buffer descriptions have room for three planes; pictures have no more.
        guard picture.planes <= 3 else {
            throw SystemCallError(call: "VIDIOC_S_FMT", code: EINVAL, path: path)
        }
        memoryPlanes = max(picture.planes, 1)
        return picture
    }

    /// Sets a frame interval and returns the driver's; `nil` if it offers none (`VIDIOC_S_PARM`).
    public func setFrameInterval(
        _ interval: FrameInterval
    ) throws(SystemCallError) -> FrameInterval? {
        var (numerator, denominator) = (interval.numerator, interval.denominator)
        do throws(SystemCallError) {
            try request("VIDIOC_S_PARM") {
                unsafe cv4l2_s_parm($0, bufferType, &numerator, &denominator)
            }
        } catch {
            if error.code == ENOTTY || error.code == EINVAL { return nil }
            throw error
        }
        return numerator > 0 && denominator > 0
            ? FrameInterval(numerator: numerator, denominator: denominator) : nil
    }
}

extension FrameDescription {
    /// Creates a description; `nil` for an uncompressed format whose layout Vitrine does not know.
    init?(_ picture: cv4l2_picture) {
        let format = PixelFormat(fourCC: picture.pixelformat)
        let size = Dimensions(width: Int(picture.width), height: Int(picture.height))
        let sizes = [picture.sizeimage.0, picture.sizeimage.1, picture.sizeimage.2]
            .prefix(Int(max(picture.planes, 1))).map(Int.init)
        let color = ColorDescription(picture, format)
        if format.isCompressed {
            self.init(
                pixelFormat: format, dimensions: size,
                planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)], bufferSizes: sizes,
                color: color)
            return
        }
        let row = picture.bytesperline.0 > 0 ? Int(picture.bytesperline.0) : nil
        guard var layout = FrameDescription(format, size, bytesPerRow: row, color: color)
        else { return nil }
        if sizes.count > 1 {
            let rows = [picture.bytesperline.0, picture.bytesperline.1, picture.bytesperline.2]
            guard sizes.count == layout.planes.count else { return nil }
            for index in layout.planes.indices {
                layout.planes[index].buffer = index
                layout.planes[index].offset = 0
                layout.planes[index].bytesPerRow = Int(rows[index])
            }
        } else if let needed = layout.bufferSizes.first, sizes[0] < needed {
            return nil
        }
        layout.bufferSizes = sizes
        self = layout
    }
}

extension ColorDescription {
    /// Resolves V4L2's default values like the `V4L2_MAP_…_DEFAULT` macros of its headers.
    init(_ picture: cv4l2_picture, _ format: PixelFormat) {
        let jpegColors = picture.colorspace == V4L2_COLORSPACE_JPEG.rawValue
        let matrix: Matrix =
            switch picture.ycbcr_enc {
            case V4L2_YCBCR_ENC_601.rawValue, V4L2_YCBCR_ENC_XV601.rawValue: .bt601
            case V4L2_YCBCR_ENC_709.rawValue, V4L2_YCBCR_ENC_XV709.rawValue: .bt709
            case V4L2_YCBCR_ENC_BT2020.rawValue: .bt2020
            default:
                switch picture.colorspace {
                case V4L2_COLORSPACE_REC709.rawValue, V4L2_COLORSPACE_DCI_P3.rawValue: .bt709
                case V4L2_COLORSPACE_BT2020.rawValue: .bt2020
                default: .bt601
                }
            }
        let isFull =
            switch picture.quantization {
            case V4L2_QUANTIZATION_FULL_RANGE.rawValue: true
            case V4L2_QUANTIZATION_LIM_RANGE.rawValue: false
            default: !format.isYUV || jpegColors || format.isCompressed
            }
        self.init(matrix: format.isCompressed ? .bt601 : matrix, range: isFull ? .full : .limited)
    }
}
