// SPDX-License-Identifier: GPL-3.0-or-later

internal import CTurboJPEG
internal import CYUV
public import Media

/// Encodes frames as JFIF pictures: YUV straight from its planes, RGB through TurboJPEG's own matrix.
///
/// For one thread at a time; working memory and the output buffer are kept from call to call. JPEG
/// means BT.601 at full range: other descriptions are recoloured on the way (within 0.6 of the exact
/// luma and chroma; nothing is touched when the frame is ``ColorDescription/jpeg`` already). 4:2:2
/// stays 4:2:2. NV12, NV21, YU12, YV12 become 4:2:0, YUYV, UYVY, NV16, 422P 4:2:2, GREY one
/// component; RGB565, RGB24, BGR24, XRGB8888 what the caller asks for.
@safe
public final class JPEGEncoder {
    private let turbo: TurboJPEG
    private let converter = PixelConverter()
    private var color = JFIFColor(.jpeg)
    private var working = Scratch()
    private var small = Scratch()
    private var output = Scratch()

    /// - Throws: `exhausted` without memory.
    public init() throws(ImagingError) { turbo = try .compressor() }

    /// - Parameters:
    ///   - quality: 1 (smallest) to 100 (best); others count as the nearer of the two.
    ///   - rgbSubsampling: for RGB sources only.
    /// - Throws: `unsupported`, `outOfBounds`, `exhausted`.
    @unsafe
    public func encode(
        _ source: PixelAccess, quality: Int, rgbSubsampling: JPEGSubsampling = .yuv420
    ) throws(ImagingError) -> [UInt8] {
        try unsafe withEncoded(source, quality: quality, rgbSubsampling: rgbSubsampling) {
            unsafe [UInt8]($0)
        }
    }

    /// As ``encode(_:quality:rgbSubsampling:)``, without a copy: the bytes belong to the encoder and
    /// end with `body`, which must not call it.
    @unsafe
    public func withEncoded<Result>(
        _ source: PixelAccess, quality: Int, rgbSubsampling: JPEGSubsampling = .yuv420,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(ImagingError) -> Result {
        return try unsafe body(encoded(FrameView(source), quality, rgbSubsampling))
    }

    /// The bytes belong to the encoder, and end with its next call.
    @unsafe
    func encoded(
        _ frame: FrameView, _ quality: Int, _ rgbSubsampling: JPEGSubsampling
    ) throws(ImagingError) -> UnsafeRawBufferPointer {
        if unsafe frame.format.isYUV {
            let planes = try unsafe planes(of: frame, recoloured: true)
            return try unsafe compress(planes, quality)
        }
        return try unsafe compress(rgb: frame, rgbSubsampling, quality)
    }

    /// A small JPEG of the frame, its proportions kept: as large as fits into `size`, never larger
    /// than the frame, even sides, box filtered from two rows and more for each of its own, 4:2:0 (GREY: one
    /// component).
    ///
    /// - Throws: as ``encode(_:quality:rgbSubsampling:)``.
    @unsafe
    public func thumbnail(
        of source: PixelAccess, fitting size: Dimensions = Dimensions(width: 160, height: 120),
        quality: Int = 80
    ) throws(ImagingError) -> [UInt8] {
        let whole = try unsafe FrameView(source)
        let target = unsafe Dimensions(width: whole.width, height: whole.height).shrunk(
            toFit: size)
        // So small a picture does not need them all, and memory is slow.
        let frame = unsafe whole.thinned(toRows: target.height)
        if unsafe frame.format.isYUV {
            let planes = try unsafe planes(of: frame, recoloured: false)
            let subsampling: JPEGSubsampling =
                unsafe planes.subsampling == .grey ? .grey : .yuv420
            let reduced = try unsafe YUVPlanes(target, subsampling, in: &small)
            unsafe YUVPlanes.scale(planes.y, planes.size, into: reduced.y, target)
            if subsampling != .grey {
                let from = unsafe planes.subsampling.chromaSize(of: planes.size)
                let to = subsampling.chromaSize(of: target)
                unsafe YUVPlanes.scale(planes.u, from, into: reduced.u, to)
                unsafe YUVPlanes.scale(planes.v, from, into: reduced.v, to)
            }
            unsafe selectColor(frame.color)
            if !color.isIdentity {
                unsafe color.apply(
                    from: reduced, to: reduced, lumaColumns: target.width,
                    lumaRows: target.height)
            }
            return unsafe [UInt8](try compress(reduced, quality))
        }
        let pixels = try unsafe xrgb(frame)
        let stride = target.width * 4
        let start = try unsafe small.reserve(stride * target.height)
        let reduced = unsafe FrameView(
            .xrgb, width: target.width, height: target.height, start, stride: stride)
        unsafe ARGBScale(
            pixels.first.start, pixels.first.stride, CInt(pixels.width), CInt(pixels.height), start,
            CInt(stride), CInt(target.width), CInt(target.height), kFilterBox)
        return unsafe [UInt8](try compress(rgb: reduced, .yuv420, quality))
    }

    /// A small JPEG of a JPEG picture, by scaled decoding; see ``thumbnail(of:fitting:quality:)``.
    ///
    /// - Throws: as ``JPEGDecoder/picture(of:scale:)`` and ``encode(_:quality:rgbSubsampling:)``.
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

    // MARK: Planes

    /// What a frame's picture has.
    static func subsampling(
        of format: PixelFormat, rgb: JPEGSubsampling
    ) -> JPEGSubsampling {
        switch format {
        case .grey: .grey
        case .nv12, .nv21, .yuv420, .yvu420: .yuv420
        default: format.isYUV ? .yuv422 : rgb
        }
    }

    private func selectColor(_ description: ColorDescription) {
        if color.source != description { color = JFIFColor(description) }
    }

    /// The frame as JPEG's planes: its own memory where that fits, else working memory.
    private func planes(
        of frame: FrameView, recoloured: Bool
    ) throws(ImagingError) -> YUVPlanes {
        let subsampling = unsafe Self.subsampling(of: frame.format, rgb: .yuv422)
        unsafe selectColor(recoloured ? frame.color : .jpeg)
        let step = subsampling.step
        let isWhole = unsafe frame.width % step.horizontal == 0 && frame.height % step.vertical == 0
        let size = unsafe Dimensions(width: frame.width, height: frame.height)
        let planes = try unsafe YUVPlanes(size, subsampling, in: &working)
        if isWhole, color.isIdentity { return unsafe takeApart(frame, into: planes) }
        // Strips that stay in the cache between taking apart and recolouring.
        let strip = 16
        for top in stride(from: 0, to: size.height, by: strip) {
            let rows = min(strip, size.height - top)
            let part = unsafe frame.cropped(
                to: PixelRect(x: 0, y: top, width: size.width, height: rows))
            let target = unsafe planes.from(row: top)
            var source = unsafe takeApart(part, into: target)
            if size.width % 2 == 1, unsafe source.y.start != target.y.start {
                // Recolouring works on pairs: where a row may read one too many.
                unsafe CopyPlane(
                    source.y.start, source.y.stride, target.y.start, target.y.stride,
                    CInt(size.width), CInt(rows))
                unsafe source.y = unsafe target.y
            }
            if unsafe !color.isIdentity || source.y.start != target.y.start
                || source.u.start != target.u.start
            {
                unsafe color.apply(
                    from: source, to: target, lumaColumns: size.width, lumaRows: rows)
            }
        }
        unsafe planes.padLuma()
        return unsafe planes
    }

    /// Interleaved samples go to `planes`; what the frame has in planes of its own stays there.
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

    /// An RGB frame as XRGB8888.
    private func xrgb(_ frame: FrameView) throws(ImagingError) -> FrameView {
        if unsafe frame.format == .xrgb { return unsafe frame }
        let stride = unsafe frame.width * 4
        let start = try unsafe working.reserve(stride * frame.height)
        let result = unsafe FrameView(
            .xrgb, width: frame.width, height: frame.height, start, stride: stride)
        try unsafe converter.convert(frame, to: result)
        return unsafe result
    }

    // MARK: Compression

    private func compress(
        _ planes: YUVPlanes, _ quality: Int
    ) throws(ImagingError) -> UnsafeRawBufferPointer {
        let size = unsafe planes.size
        let subsampling = unsafe planes.subsampling
        let handle = unsafe turbo.handle
        return try unsafe compress(size, subsampling) { buffer, count in
            unsafe withPlaneArrays(planes.y, planes.u, planes.v) { starts, strides in
                // TurboJPEG only reads the planes.
                unsafe starts.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 3) {
                    unsafe tjCompressFromYUVPlanes(
                        handle, $0, CInt(size.width), strides, CInt(size.height),
                        subsampling.code, buffer, count, CInt(min(max(quality, 1), 100)),
                        CInt(TJFLAG_NOREALLOC))
                }
            }
        }
    }

    private func compress(
        rgb frame: FrameView, _ subsampling: JPEGSubsampling, _ quality: Int
    ) throws(ImagingError) -> UnsafeRawBufferPointer {
        let source: FrameView
        let code: TJPF
        switch unsafe frame.format {
        case .rgb24: unsafe (source, code) = (frame, TJPF_RGB)
        case .bgr24: unsafe (source, code) = (frame, TJPF_BGR)
        case .xrgb, .rgb565: unsafe (source, code) = (try xrgb(frame), TJPF_BGRX)
        default: throw unsafe ImagingError(.unsupported, "JPEG of \(frame.format)")
        }
        let size = unsafe Dimensions(width: source.width, height: source.height)
        let handle = unsafe turbo.handle
        return try unsafe compress(size, subsampling) { buffer, count in
            unsafe tjCompress2(
                handle, source.first.start, CInt(size.width), source.first.stride,
                CInt(size.height), CInt(code.rawValue), buffer, count, subsampling.code,
                CInt(min(max(quality, 1), 100)), CInt(TJFLAG_NOREALLOC))
        }
    }

    private func compress(
        _ size: Dimensions, _ subsampling: JPEGSubsampling,
        _ body: (
            UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>
        ) -> CInt
    ) throws(ImagingError) -> UnsafeRawBufferPointer {
        // The worst case: nearly all of it is never touched, and so costs no memory.
        let most = tjBufSize(CInt(size.width), CInt(size.height), subsampling.code)
        let start = try unsafe output.reserve(Int(most))
        var buffer: UnsafeMutablePointer<UInt8>? = unsafe start
        var count = most
        guard unsafe body(&buffer, &count) == 0 else {
            throw ImagingError(.failed, "JPEG of \(size): \(turbo.complaint)")
        }
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(count))
    }
}

extension YUVPlanes {
    /// The planes from luma row `row` on, which is the first of a chroma step.
    func from(row: Int) -> YUVPlanes {
        var part = unsafe self
        let chromaRow = unsafe row / subsampling.step.vertical
        unsafe part.y.start = unsafe y.row(row)
        unsafe part.u.start = unsafe u.row(chromaRow)
        unsafe part.v.start = unsafe v.row(chromaRow)
        return unsafe part
    }

    /// Repeats the last column and row of luma until each chroma step is whole.
    func padLuma() {
        let step = unsafe subsampling.step
        let chroma = unsafe subsampling.chromaSize(of: size)
        let (width, height) = unsafe (size.width, size.height)
        for row in 0..<height {
            for column in width..<chroma.width * step.horizontal {
                unsafe y.row(row)[column] = unsafe y.row(row)[width - 1]
            }
        }
        for row in height..<chroma.height * step.vertical {
            unsafe y.row(row).update(
                from: y.row(height - 1), count: chroma.width * step.horizontal)
        }
    }
}

extension Dimensions {
    /// The largest size of the same proportions that fits into `box` and is not larger than this;
    /// even sides, but for pictures one pixel wide or high.
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
