// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
public import Media

/// Converts frames to another format in one pass: each output byte is written once, none is read.
/// Not thread-safe. A converter keeps working rows: only the first call of a kind allocates.
/// Strides are honoured on both sides.
///
/// - NV12 from YUYV, UYVY, NV21, NV16, YU12, YV12, 422P, GREY: luma is unchanged; 4:2:2 chroma is
///   the mean of two rows, rounded up. Both sides have the same colour description.
/// - XRGB8888 from those and NV12, by the source's colour description: within 3 of the exact matrix
///   and up to 1 on average, because libyuv counts in 1/64. Chroma is repeated, not interpolated.
///   The unused byte is 255.
/// - XRGB8888 from RGB565, RGB24, BGR24: exact; five and six bits are widened by repetition.
/// - Any uncompressed format to itself: a copy.
@safe
public final class PixelConverter {
    private var rows = Scratch()

    /// Creates a converter without allocating memory.
    public init() {}

    /// Whether ``convert(_:to:)`` supports the formats, sizes and colours permitting.
    public static func canConvert(from source: PixelFormat, to destination: PixelFormat) -> Bool {
        if source.planeCount == nil { return false }
        if source == destination { return true }
        switch destination {
        case .nv12, .nv12Separate: return source.isYUV
        case .xrgb: return source.isConvertible
        default: return false
        }
    }

    /// Writes `source` into `destination` of the same dimensions. Throws `unsupported` for formats
    /// that ``canConvert(from:to:)`` rejects and for YUV of another matrix or range; `mismatched`
    /// for other dimensions; `outOfBounds` for planes outside their memory.
    @unsafe
    public func convert(
        _ source: PixelAccess, to destination: PixelAccess
    ) throws(ImagingError) {
        try unsafe convert(FrameView(source), to: FrameView(destination))
    }

    func convert(_ source: FrameView, to destination: FrameView) throws(ImagingError) {
        guard unsafe source.width == destination.width, unsafe source.height == destination.height
        else {
            throw unsafe ImagingError(
                .mismatched,
                "\(source.format) \(source.width)x\(source.height) does not fill "
                    + "\(destination.format) \(destination.width)x\(destination.height)")
        }
        if unsafe destination.format.isYUV {
            guard
                unsafe source.color.agrees(
                    with: destination.color, grey: source.format == .grey)
            else {
                throw unsafe ImagingError(
                    .unsupported,
                    "\(source.format) \(source.color.matrix) \(source.color.range) to "
                        + "\(destination.format) \(destination.color.matrix) "
                        + "\(destination.color.range)")
            }
        }
        let result: CInt
        switch unsafe (source.format, destination.format) {
        case let (from, to) where from == to:
            unsafe copy(source, destination)
            result = 0
        case let (from, .nv12) where from.isYUV:
            result = try unsafe convertToNV12(source, destination)
        case let (from, .xrgb) where from.isConvertible:
            result = try unsafe convertToXRGB(source, destination)
        default:
            throw unsafe ImagingError(
                .unsupported, "\(source.format) to \(destination.format)")
        }
        guard result == 0 else {
            throw unsafe ImagingError(
                .failed, "libyuv: \(source.format) to \(destination.format)")
        }
    }

    private func copy(_ source: FrameView, _ destination: FrameView) {
        let size = unsafe Dimensions(width: source.width, height: source.height)
        for index in 0..<(unsafe source.format.planeCount ?? 0) {
            let extent = unsafe source.format.extent(ofPlane: index, size)
            let from = unsafe index == 0 ? source.first : index == 1 ? source.second : source.third
            let to =
                unsafe index == 0
                ? destination.first : index == 1 ? destination.second : destination.third
            unsafe CopyPlane(
                from.start, from.stride, to.start, to.stride, CInt(extent.bytes),
                CInt(extent.rows))
        }
    }

    // MARK: NV12

    private func convertToNV12(
        _ source: FrameView, _ destination: FrameView
    ) throws(ImagingError) -> CInt {
        let luma = unsafe destination.first
        let chroma = unsafe destination.second
        let (width, height) = unsafe (CInt(source.width), CInt(source.height))
        let from = unsafe source.first
        switch unsafe source.format {
        case .yuyv:
            return unsafe YUY2ToNV12(
                from.start, from.stride, luma.start, luma.stride, chroma.start, chroma.stride,
                width, height)
        case .uyvy:
            // libyuv's UYVYToNV12 allocates.
            return try unsafe convertUYVYToNV12(source, destination)
        case .nv21:
            return unsafe NV21ToNV12(
                from.start, from.stride, source.second.start, source.second.stride, luma.start,
                luma.stride, chroma.start, chroma.stride, width, height)
        case .yuv420, .yvu420:
            let (u, v) = unsafe source.chroma
            return unsafe I420ToNV12(
                from.start, from.stride, u.start, u.stride, v.start, v.stride, luma.start,
                luma.stride, chroma.start, chroma.stride, width, height)
        case .nv16:
            unsafe CopyPlane(
                from.start, from.stride, luma.start, luma.stride, width, height)
            unsafe averageRows(
                source.second, height: source.height, to: chroma, bytes: (width + 1) / 2 * 2)
            return 0
        case .yuv422:
            unsafe CopyPlane(
                from.start, from.stride, luma.start, luma.stride, width, height)
            try unsafe mergeAveragedRows(source, to: chroma)
            return 0
        default:
            unsafe CopyPlane(
                from.start, from.stride, luma.start, luma.stride, width, height)
            unsafe SetPlane(
                chroma.start, chroma.stride, (width + 1) / 2 * 2, (height + 1) / 2, 128)
            return 0
        }
    }

    /// Writes the mean of each pair of rows to `destination`. An odd last row is copied.
    private func averageRows(
        _ source: FrameView.Plane, height: Int, to destination: FrameView.Plane, bytes: CInt
    ) {
        let stride = unsafe source.stride
        unsafe InterpolatePlane(
            source.start, stride * 2, source.row(1), stride * 2, destination.start,
            destination.stride, bytes, CInt(height / 2), 128)
        if height % 2 == 1 {
            unsafe CopyPlane(
                source.row(height - 1), stride,
                destination.row(height / 2), destination.stride,
                bytes, 1)
        }
    }

    /// Averages rows like ``averageRows`` and interleaves U and V: both rows stay in the cache.
    private func mergeAveragedRows(
        _ source: FrameView, to destination: FrameView.Plane
    ) throws(ImagingError) {
        let width = unsafe CInt((source.width + 1) / 2)
        let u = try unsafe rows.reserve(2 * largestSide)
        let v = unsafe u + largestSide
        let height = unsafe source.height
        for row in 0..<(height + 1) / 2 {
            let above = 2 * row
            let below = min(above + 1, height - 1)
            let fromU = unsafe source.second
            let fromV = unsafe source.third
            unsafe InterpolatePlane(
                fromU.row(above), fromU.stride,
                fromU.row(below), fromU.stride, u, width, width, 1, 128)
            unsafe InterpolatePlane(
                fromV.row(above), fromV.stride,
                fromV.row(below), fromV.stride, v, width, width, 1, 128)
            unsafe MergeUVPlane(
                u, width, v, width, destination.row(row),
                destination.stride, width, 1)
        }
    }

    /// Averages packed rows in pairs, then takes chroma out of the mean.
    private func convertUYVYToNV12(
        _ source: FrameView, _ destination: FrameView
    ) throws(ImagingError) -> CInt {
        let from = unsafe source.first
        let chroma = unsafe destination.second
        let (width, height) = unsafe (CInt(source.width), CInt(source.height))
        let columns = (width + 1) / 2
        let mean = try unsafe rows.reserve(5 * largestSide)
        let luma = unsafe mean + 2 * largestSide
        let (u, v) = unsafe (luma + largestSide, luma + 2 * largestSide)
        for row in 0..<Int(height + 1) / 2 {
            let below = min(2 * row + 1, Int(height) - 1)
            let averaged = unsafe InterpolatePlane(
                from.row(2 * row), from.stride, from.row(below), from.stride, mean, columns * 4,
                columns * 4, 1, 128)
            let taken = unsafe UYVYToI422(
                mean, columns * 4, luma, width, u, columns, v, columns, width, 1)
            if averaged != 0 || taken != 0 { return -1 }
            unsafe MergeUVPlane(
                u, columns, v, columns, chroma.row(row), chroma.stride, columns, 1)
        }
        return unsafe UYVYToY(
            from.start, from.stride, destination.first.start, destination.first.stride, width,
            height)
    }

    // MARK: XRGB8888

    private func convertToXRGB(
        _ source: FrameView, _ destination: FrameView
    ) throws(ImagingError) -> CInt {
        let to = unsafe destination.first
        let from = unsafe source.first
        let (width, height) = unsafe (CInt(source.width), CInt(source.height))
        let matrix = unsafe source.color.constants
        let (u, v) = unsafe source.chroma
        let boost = unsafe BlueBoost.table(for: source.color)
        if boost != nil, unsafe source.format.sharesChroma {
            return try unsafe convertByRows(source, to, boost: boost)
        }
        switch unsafe source.format {
        case .yuyv where unsafe source.color.isLimited601:
            return unsafe YUY2ToARGB(from.start, from.stride, to.start, to.stride, width, height)
        case .uyvy where unsafe source.color.isLimited601:
            return unsafe UYVYToARGB(from.start, from.stride, to.start, to.stride, width, height)
        case .yuyv, .uyvy:
            return try unsafe convertByRows(source, to, boost: nil)
        case .nv12:
            return unsafe NV12ToARGBMatrix(
                from.start, from.stride, u.start, u.stride, to.start, to.stride, matrix, width,
                height)
        case .nv21:
            return unsafe NV21ToARGBMatrix(
                from.start, from.stride, u.start, u.stride, to.start, to.stride, matrix, width,
                height)
        case .nv16:
            // libyuv has no NV16: each row is NV12.
            for row in 0..<Int(height) {
                let result = unsafe NV12ToARGBMatrix(
                    from.row(row), from.stride,
                    u.row(row), u.stride, to.row(row),
                    to.stride, matrix, width, 1)
                if result != 0 { return result }
            }
            return 0
        case .yuv420, .yvu420:
            return unsafe I420ToARGBMatrix(
                from.start, from.stride, u.start, u.stride, v.start, v.stride, to.start,
                to.stride, matrix, width, height)
        case .yuv422:
            return unsafe I422ToARGBMatrix(
                from.start, from.stride, u.start, u.stride, v.start, v.stride, to.start,
                to.stride, matrix, width, height)
        case .grey:
            return unsafe I400ToARGBMatrix(
                from.start, from.stride, to.start, to.stride, matrix, width, height)
        case .rgb565:
            return unsafe RGB565ToARGB(
                from.start, from.stride, to.start, to.stride, width, height)
        case .rgb24:
            return unsafe RAWToARGB(from.start, from.stride, to.start, to.stride, width, height)
        default:
            return unsafe RGB24ToARGB(
                from.start, from.stride, to.start, to.stride, width, height)
        }
    }

    /// Converts by rows of chroma, as planes. This covers packed 4:2:2, which libyuv supports with
    /// one matrix only, and matrices that need ``BlueBoost``.
    private func convertByRows(
        _ source: FrameView, _ to: FrameView.Plane, boost: [UInt8]?
    ) throws(ImagingError) -> CInt {
        let width = unsafe CInt(source.width)
        let step = unsafe source.format.chromaRowStep
        let matrix = unsafe source.color.constants
        let scratch = try unsafe rows.reserve(4 * largestSide)
        for row in 0..<(unsafe source.height + step - 1) / step {
            var planes = unsafe chromaRow(row, of: source, scratch)
            if let boost {
                let boosted = unsafe scratch + 3 * largestSide
                for index in 0..<(unsafe source.width + 1) / 2 {
                    unsafe boosted[index] = boost[Int(planes.u[index])]
                }
                unsafe planes.u = unsafe boosted
            }
            // The rows that share this row of chroma.
            let height = unsafe min(step, source.height - row * step)
            let result = unsafe I420ToARGBMatrix(
                planes.y.start, planes.y.stride, planes.u, width, planes.v, width,
                to.row(row * step), to.stride, matrix, width, CInt(height))
            if result != 0 { return result }
        }
        return 0
    }

    /// Returns one row of chroma and its luma, split into `scratch` if needed.
    private func chromaRow(
        _ row: Int, of source: FrameView, _ scratch: UnsafeMutablePointer<UInt8>
    ) -> (
        y: FrameView.Plane, u: UnsafeMutablePointer<UInt8>, v: UnsafeMutablePointer<UInt8>
    ) {
        let (width, columns) = unsafe (CInt(source.width), CInt((source.width + 1) / 2))
        var luma = unsafe source.first
        unsafe luma.start = luma.row(row * source.format.chromaRowStep)
        let (u, v) = unsafe (scratch, scratch + largestSide)
        switch unsafe source.format {
        case .yuyv, .uyvy:
            let y = unsafe FrameView.Plane(start: scratch + 2 * largestSide, stride: width)
            let split = unsafe source.format == .yuyv ? YUY2ToI422 : UYVYToI422
            _ = unsafe split(
                luma.start, luma.stride, y.start, y.stride, u, columns, v, columns, width, 1)
            return unsafe (y, u, v)
        case .nv12, .nv16, .nv21:
            let isSwapped = unsafe source.format == .nv21
            unsafe SplitUVPlane(
                source.second.row(row), source.second.stride, isSwapped ? v : u, columns,
                isSwapped ? u : v, columns, columns, 1)
            return unsafe (luma, u, v)
        default:
            let chroma = unsafe source.chroma
            return unsafe (luma, chroma.u.row(row), chroma.v.row(row))
        }
    }
}

/// A correction of Cb. libyuv limits Cb's weight in blue to 128/64, but BT.709 and BT.2020 at
/// limited range need 2.11 and 2.14: blue would be off by up to 16. Stretched Cb compensates.
private enum BlueBoost {
    static let bt709 = table(blueWeight: 0.0722)
    static let bt2020 = table(blueWeight: 0.0593)

    private static func table(blueWeight: Double) -> [UInt8] {
        let factor = 2 * (1 - blueWeight) * 255 / 224 / 2
        return (0..<256).map { sample in
            UInt8(min(max((128 + (Double(sample) - 128) * factor).rounded(), 0), 255))
        }
    }

    static func table(for color: ColorDescription) -> [UInt8]? {
        switch (color.matrix, color.range) {
        case (.bt709, .limited): bt709
        case (.bt2020, .limited): bt2020
        default: nil
        }
    }
}

extension PixelFormat {
    /// The rows of luma that share a row of chroma.
    fileprivate var chromaRowStep: Int {
        switch self {
        case .nv12, .nv21, .yuv420, .yvu420: 2
        default: 1
        }
    }
}

extension ColorDescription {
    fileprivate var isLimited601: Bool { matrix == .bt601 && range == .limited }

    @unsafe
    var constants: OpaquePointer {
        switch (matrix, range) {
        case (.bt601, .limited): unsafe cyuv_bt601_limited()
        case (.bt601, .full): unsafe cyuv_bt601_full()
        case (.bt709, .limited): unsafe cyuv_bt709_limited()
        case (.bt709, .full): unsafe cyuv_bt709_full()
        case (.bt2020, .limited): unsafe cyuv_bt2020_limited()
        case (.bt2020, .full): unsafe cyuv_bt2020_full()
        }
    }
}
