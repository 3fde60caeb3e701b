// SPDX-License-Identifier: GPL-3.0-or-later

/// How a frame's luma and chroma turn into red, green and blue.
public struct ColorDescription: Hashable, Sendable {
    /// The weights of red, green and blue in luma (V4L2's `ycbcr_enc`).
    public enum Matrix: String, Sendable {
        /// ITU-R BT.601, standard definition and JPEG.
        case bt601
        /// ITU-R BT.709, high definition.
        case bt709
        /// ITU-R BT.2020.
        case bt2020
    }
    /// Which of a sample's 256 values stand for colours (V4L2's `quantization`).
    public enum Range: String, Sendable {
        /// Luma 16…235, chroma 16…240.
        case limited
        /// 0…255.
        case full
    }
    /// By which weights luma and chroma were made.
    public var matrix: Matrix
    /// Which samples are black, white and the strongest colours.
    public var range: Range

    /// Of the given parts; every combination is possible.
    public init(matrix: Matrix, range: Range) {
        self.matrix = matrix
        self.range = range
    }

    /// What JFIF prescribes.
    public static let jpeg = ColorDescription(matrix: .bt601, range: .full)
}

/// Where one plane of a frame lies.
public struct PlaneLayout: Hashable, Sendable {
    /// Which of the frame's memory buffers holds it (0 but for V4L2's non-contiguous formats).
    public var buffer: Int
    /// First byte of the plane in that buffer.
    public var offset: Int
    /// Bytes from one row to the next.
    public var bytesPerRow: Int
    /// A chroma plane has fewer than the picture where rows share it; 0 for compressed formats.
    public var rows: Int

    /// Of the given parts; whether they lie within the buffer is not checked.
    public init(buffer: Int = 0, offset: Int, bytesPerRow: Int, rows: Int) {
        self.buffer = buffer
        self.offset = offset
        self.bytesPerRow = bytesPerRow
        self.rows = rows
    }
}

/// The shape of every frame of a stream.
public struct FrameDescription: Hashable, Sendable {
    /// As the frames lie in memory, which need not be what the camera sends.
    public var pixelFormat: PixelFormat
    /// The picture's; padding at the ends of rows does not count.
    public var dimensions: Dimensions
    /// In the format's order (Y, U, V; Y, UV; …); one plane without rows for compressed formats.
    public var planes: [PlaneLayout]
    /// Bytes of each memory buffer.
    public var bufferSizes: [Int]
    /// How the samples of YUV formats become colours.
    public var color: ColorDescription

    /// Of the given parts; whether the planes lie within their buffers is not checked.
    public init(
        pixelFormat: PixelFormat, dimensions: Dimensions, planes: [PlaneLayout],
        bufferSizes: [Int], color: ColorDescription
    ) {
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.planes = planes
        self.bufferSizes = bufferSizes
        self.color = color
    }

    /// The layout of an uncompressed format in one buffer, planes one behind the other, as V4L2's
    /// single-planar API prescribes it; `nil` for compressed formats and those that Vitrine
    /// does not know.
    ///
    /// - Parameter bytesPerRow: of the first plane; `nil` for no padding.
    public init?(
        _ pixelFormat: PixelFormat, _ dimensions: Dimensions, bytesPerRow: Int? = nil,
        color: ColorDescription = ColorDescription(matrix: .bt601, range: .limited)
    ) {
        guard let shape = pixelFormat.shape else { return nil }
        let row = bytesPerRow ?? dimensions.width * shape.bytesPerPixel
        var planes: [PlaneLayout] = []
        var offset = 0
        for plane in shape.planes {
            let layout = PlaneLayout(
                offset: offset, bytesPerRow: row * plane.rowNumerator / plane.rowDenominator,
                rows: (dimensions.height + plane.verticalStep - 1) / plane.verticalStep)
            planes.append(layout)
            offset += layout.bytesPerRow * layout.rows
        }
        self.init(
            pixelFormat: pixelFormat, dimensions: dimensions, planes: planes,
            bufferSizes: [offset], color: color)
    }
}

extension PixelFormat {
    struct PlaneShape {
        /// This plane's bytes per row as a fraction of the first plane's.
        var rowNumerator = 1
        var rowDenominator = 1
        var verticalStep = 1
    }

    /// Bytes per pixel in the first plane, and the planes; `nil` for compressed and unknown formats.
    var shape: (bytesPerPixel: Int, planes: [PlaneShape])? {
        let first = PlaneShape()
        let interleaved420 = PlaneShape(verticalStep: 2)
        let planar420 = PlaneShape(rowDenominator: 2, verticalStep: 2)
        let planar422 = PlaneShape(rowDenominator: 2)
        switch self {
        case .grey: return (1, [first])
        case .yuyv, .uyvy, .rgb565: return (2, [first])
        case .rgb24, .bgr24: return (3, [first])
        case .xrgb, .argb: return (4, [first])
        case .nv12, .nv21, .nv12Separate: return (1, [first, interleaved420])
        case .nv16: return (1, [first, first])
        case .yuv420, .yvu420: return (1, [first, planar420, planar420])
        case .yuv422: return (1, [first, planar422, planar422])
        default: return nil
        }
    }
}
