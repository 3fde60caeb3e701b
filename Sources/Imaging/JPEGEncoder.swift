// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
public import Media

/// Encodes frames as JFIF pictures: YUV from its own samples, RGB through libjpeg's matrix. Not
/// thread-safe. An encoder keeps working memory and the output buffer between calls. JPEG means
/// BT.601 at full range. Other colour descriptions are converted, within 0.6 of the exact luma and
/// chroma; ``ColorDescription/jpeg`` frames are not. NV12, NV21, YU12 and YV12 become 4:2:0; YUYV,
/// UYVY, NV16 and 422P become 4:2:2; GREY becomes one component; RGB565, RGB24, BGR24 and XRGB8888
/// become what the caller asks for.
@safe
public final class JPEGEncoder {
    private let compressor: JPEGCompressor
    private let converter = PixelConverter()
    private var color = JFIFColor(.jpeg)
    private var working = Scratch()
    private var small = Scratch()
    private var output = Scratch()

    /// - Throws: `exhausted` without memory.
    public init() throws(ImagingError) { compressor = try JPEGCompressor() }

    /// Encodes a frame. `quality` is clamped to 1…100 (best). RGB gets `rgbSubsampling`; others
    /// keep theirs. Throws `unsupported`, `outOfBounds`, `exhausted`, `failed`.
    @unsafe
    public func encode(
        _ source: PixelAccess, quality: Int, rgbSubsampling: JPEGSubsampling = .yuv420
    ) throws(ImagingError) -> [UInt8] {
        try unsafe withEncoded(source, quality: quality, rgbSubsampling: rgbSubsampling) {
            unsafe [UInt8]($0)
        }
    }

    /// Encodes a frame like ``encode(_:quality:rgbSubsampling:)``, without a copy. The bytes belong
    /// to the encoder and end with `body`, which must not call the encoder.
    @unsafe
    public func withEncoded<Result>(
        _ source: PixelAccess, quality: Int, rgbSubsampling: JPEGSubsampling = .yuv420,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(ImagingError) -> Result {
        return try unsafe body(encoded(FrameView(source), quality, rgbSubsampling))
    }

    /// Returns a small JPEG of the frame in its proportions. It fits into `box` and the frame's
    /// size and has even sides. It is box filtered from two or more rows for each of its own, if
    /// the frame has them, and 4:2:0 (GREY: one component). Throws as
    /// ``encode(_:quality:rgbSubsampling:)`` does.
    @unsafe
    public func thumbnail(
        of source: PixelAccess, fitting box: Dimensions = Dimensions(width: 160, height: 120),
        quality: Int = 80
    ) throws(ImagingError) -> [UInt8] {
        let whole = try unsafe FrameView(source)
        let target = unsafe Dimensions(width: whole.width, height: whole.height).shrunk(
            toFit: box)
        // A thumbnail does not need all rows, and memory is slow.
        let frame = unsafe whole.thinned(toRows: target.height)
        if unsafe frame.format.isYUV {
            let subsampling = unsafe Self.subsampling(of: frame.format, rgb: .yuv420)
            let size = unsafe Dimensions(width: frame.width, height: frame.height)
            let planes = try unsafe takeApart(
                frame, into: YUVPlanes(size, subsampling, in: &working))
            let reduced = try unsafe YUVPlanes(
                target, subsampling == .grey ? .grey : .yuv420, in: &small)
            unsafe planes.scale(into: reduced)
            guard var picture = unsafe reduced.view else {
                preconditionFailure("4:2:0 and grey have a format")
            }
            unsafe picture.color = unsafe frame.color
            return unsafe [UInt8](try encoded(picture, quality, .yuv420))
        }
        let pixels = try unsafe xrgb(frame)
        let stride = target.width * 4
        let start = try unsafe small.reserve(stride * target.height)
        let reduced = unsafe FrameView(
            .xrgb, width: target.width, height: target.height, start, stride: stride)
        unsafe ARGBScale(
            pixels.first.start, pixels.first.stride, CInt(pixels.width), CInt(pixels.height), start,
            CInt(stride), CInt(target.width), CInt(target.height), kFilterBox)
        return unsafe [UInt8](try encoded(reduced, quality, .yuv420))
    }

    /// Returns a small JPEG of a JPEG picture by scaled decoding; see
    /// ``thumbnail(of:fitting:quality:)``. Throws as ``JPEGDecoder/picture(of:scale:keepsColors:)``
    /// and ``encode(_:quality:rgbSubsampling:)`` do.
    public func thumbnail(
        of picture: [UInt8], decoder: JPEGDecoder,
        fitting size: Dimensions = Dimensions(width: 160, height: 120), quality: Int = 80
    ) throws(ImagingError) -> [UInt8] {
        let whole = try decoder.header(of: picture).dimensions
        let scale = JPEGScale(of: whole, covering: whole.shrunk(toFit: size))
        let decoded = try decoder.picture(of: picture, scale: scale)
        return try unsafe decoded.withPixels { (access) throws(ImagingError) in
            try unsafe thumbnail(of: access, fitting: size, quality: quality)
        }
    }

    // MARK: Rows of MCUs

    static func subsampling(
        of format: PixelFormat, rgb: JPEGSubsampling
    ) -> JPEGSubsampling {
        switch format {
        case .grey: .grey
        case .nv12, .nv21, .yuv420, .yvu420: .yuv420
        default: format.isYUV ? .yuv422 : rgb
        }
    }

    /// Encodes a frame, one row of MCUs at a time, which stays in the cache until it is compressed.
    /// The returned bytes belong to the encoder and are valid until its next call.
    @unsafe
    func encoded(
        _ frame: FrameView, _ quality: Int, _ rgbSubsampling: JPEGSubsampling
    ) throws(ImagingError) -> UnsafeRawBufferPointer {
        let size = unsafe Dimensions(width: frame.width, height: frame.height)
        let format = unsafe frame.format == .rgb565 ? .xrgb : frame.format
        let subsampling = Self.subsampling(of: format, rgb: rgbSubsampling)
        // The buffer fits the worst case. Most of it is never touched, and so takes no memory.
        let largest = subsampling.largestJPEG(of: size)
        let buffer = try unsafe UnsafeMutableBufferPointer(
            start: output.reserve(largest), count: largest)
        if unsafe color.source != frame.color { color = unsafe JFIFColor(frame.color) }
        try unsafe compressor.start(
            size, of: format, subsampling: subsampling, quality: quality, into: buffer)
        let unit = 8 * subsampling.step.vertical
        for top in stride(from: 0, to: size.height, by: unit) {
            let rows = unsafe frame.cropped(
                to: PixelRect(
                    x: 0, y: top, width: size.width, height: min(unit, size.height - top)))
            if format.isYUV {
                try unsafe compressor.write(samples(of: rows, subsampling))
            } else {
                try unsafe compressor.write(pixels(of: rows))
            }
        }
        return try unsafe UnsafeRawBufferPointer(
            start: buffer.baseAddress, count: compressor.finish())
    }

    /// Returns rows in JPEG's colours and whole blocks, in working memory. libjpeg accesses many
    /// rows at once, which costs more than this copy if they are not in the cache.
    private func samples(
        of rows: FrameView, _ subsampling: JPEGSubsampling
    ) throws(ImagingError) -> YUVPlanes {
        let size = unsafe Dimensions(width: rows.width, height: rows.height)
        let planes = try unsafe YUVPlanes(size, subsampling, in: &working)
        unsafe takeApart(rows, into: planes).copy(to: planes)
        unsafe color.apply(to: planes)
        unsafe planes.fillBlocks()
        return unsafe planes
    }

    /// Splits interleaved samples into `planes`. Samples that have planes of their own stay there.
    private func takeApart(_ frame: FrameView, into planes: YUVPlanes) -> YUVPlanes {
        var result = unsafe planes
        let (width, height) = unsafe (CInt(frame.width), CInt(frame.height))
        let from = unsafe frame.first
        switch unsafe frame.format {
        case .yuyv:
            unsafe YUY2ToI422(
                from.start, from.stride, planes.y.start, planes.y.stride, planes.u.start,
                planes.u.stride, planes.v.start, planes.v.stride, width, height)
        case .uyvy:
            unsafe UYVYToI422(
                from.start, from.stride, planes.y.start, planes.y.stride, planes.u.start,
                planes.u.stride, planes.v.start, planes.v.stride, width, height)
        case .nv12, .nv21, .nv16:
            let swapped = unsafe frame.format == .nv21
            let (u, v) = unsafe swapped ? (planes.v, planes.u) : (planes.u, planes.v)
            let rows = unsafe frame.format == .nv16 ? height : (height + 1) / 2
            unsafe SplitUVPlane(
                frame.second.start, frame.second.stride, u.start, u.stride, v.start, v.stride,
                (width + 1) / 2, rows)
            unsafe result.y = unsafe from
        default:
            unsafe result = unsafe YUVPlanes(frame, planes.subsampling)
        }
        return unsafe result
    }

    /// Returns RGB that libjpeg reads: RGB565 as XRGB8888, other formats unchanged.
    private func pixels(of rows: FrameView) throws(ImagingError) -> FrameView {
        try unsafe rows.format == .rgb565 ? xrgb(rows) : rows
    }

    private func xrgb(_ frame: FrameView) throws(ImagingError) -> FrameView {
        if unsafe frame.format == .xrgb { return unsafe frame }
        let stride = unsafe frame.width * 4
        let start = try unsafe working.reserve(stride * frame.height)
        let result = unsafe FrameView(
            .xrgb, width: frame.width, height: frame.height, start, stride: stride)
        try unsafe converter.convert(frame, to: result)
        return unsafe result
    }
}

extension Dimensions {
    /// Returns the largest size of the same proportions that fits into `box` and is not larger than
    /// this one. Its sides are even, except for pictures one pixel wide or high.
    func shrunk(toFit box: Dimensions) -> Dimensions {
        var fitted = self
        if fitted.width > box.width {
            fitted.height = fitted.height * box.width / fitted.width
            fitted.width = box.width
        }
        if fitted.height > box.height {
            fitted.width = fitted.width * box.height / fitted.height
            fitted.height = box.height
        }
        return Dimensions(
            width: min(max(fitted.width & ~1, 2), width),
            height: min(max(fitted.height & ~1, 2), height))
    }
}
