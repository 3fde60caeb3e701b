// SPDX-License-Identifier: GPL-3.0-or-later

/// The conversion of a frame's luma and chroma to red, green and blue.
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
    /// The range of the 256 sample values that stands for colours (V4L2's `quantization`).
    public enum Range: String, Sendable {
        /// Luma 16…235, chroma 16…240.
        case limited
        /// 0…255.
        case full
    }
    /// The weights from which luma and chroma were computed.
    public var matrix: Matrix
    /// The range of sample values that stands for colours.
    public var range: Range

    /// Creates a description; every combination is valid.
    public init(matrix: Matrix, range: Range) {
        self.matrix = matrix
        self.range = range
    }

    /// The colours that JFIF prescribes.
    public static let jpeg = ColorDescription(matrix: .bt601, range: .full)
}

/// The place of one plane in a frame's memory.
public struct PlaneLayout: Hashable, Sendable {
    /// The index of the plane's memory buffer: 0 except in V4L2's non-contiguous formats.
    public var buffer: Int
    /// The offset of the plane's first byte in that buffer.
    public var offset: Int
    /// Bytes from one row to the next.
    public var bytesPerRow: Int
    /// The number of rows: fewer than the picture's if rows share chroma, 0 for compressed formats.
    public var rows: Int

    /// Creates a layout; whether it lies within the buffer is not checked.
    public init(buffer: Int = 0, offset: Int, bytesPerRow: Int, rows: Int) {
        self.buffer = buffer
        self.offset = offset
        self.bytesPerRow = bytesPerRow
        self.rows = rows
    }
}

/// The layout of every frame of a stream.
public struct FrameDescription: Hashable, Sendable {
    /// The format of the frames in memory, which may differ from what the camera sends.
    public var pixelFormat: PixelFormat
    /// The size of the picture, without row padding.
    public var dimensions: Dimensions
    /// The planes in the format's order (Y, U, V; Y, UV; …); one without rows if compressed.
    public var planes: [PlaneLayout]
    /// The size of each memory buffer in bytes.
    public var bufferSizes: [Int]
    /// The conversion of YUV samples to colours.
    public var color: ColorDescription

    /// Creates a description; whether the planes lie within their buffers is not checked.
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

    /// Creates the layout of an uncompressed format in one buffer, one plane after the other, as
    /// V4L2's single-planar API prescribes; `nil` for compressed formats and those that Vitrine
    /// does not know. The first plane's `bytesPerRow` is `nil` for no padding.
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
        /// The plane's bytes per row as a fraction of the first plane's.
        var rowNumerator = 1
        var rowDenominator = 1
        var verticalStep = 1
    }

    /// The first plane's bytes per pixel, and all planes; `nil` for compressed and unknown formats.
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
