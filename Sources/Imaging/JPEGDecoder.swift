// SPDX-License-Identifier: GPL-3.0-or-later

internal import CTurboJPEG
public import Media

/// Decodes JPEG pictures and MJPEG frames, straight into the destination's memory. Not thread-safe.
/// A decoder keeps its memory between calls; libjpeg allocates and frees a few pools per picture.
/// Frames without Huffman tables, as many cameras send them, get the standard tables. Any input is
/// safe: data that is not a picture throws.
@safe
public final class JPEGDecoder {
    // libjpeg keeps tables between pictures: a picture without Huffman tables would be decoded with
    // its predecessor's. Pictures with and without tables therefore have separate decompressors.
    private var withTables: TurboJPEG
    private var withoutTables: TurboJPEG
    private let converter = PixelConverter()
    private var planes = Scratch()
    private var resampled = Scratch()

    /// libjpeg's first warning about the last picture, or `nil`. Damage does not stop libjpeg.
    public private(set) var complaint: String?

    /// - Throws: `exhausted` without memory.
    public init() throws(ImagingError) {
        withTables = try .decompressor()
        withoutTables = try .decompressor()
    }

    /// Reads the size and subsampling of a compressed frame. Throws `notJPEG`; `unsupported` for
    /// sizes and subsamplings that cannot be decoded here.
    @unsafe
    public func header(of source: PixelAccess) throws(ImagingError) -> JPEGHeader {
        try unsafe header(of: Self.bytes(of: source))
    }

    /// Reads the header of bytes anywhere in memory, like ``header(of:)-(PixelAccess)``.
    public func header(of bytes: [UInt8]) throws(ImagingError) -> JPEGHeader {
        try unsafe Self.with(bytes) { (raw) throws(ImagingError) in try unsafe header(of: raw) }
    }

    /// Decodes `source` into `destination`, which must have the picture's size after `scale`.
    /// XRGB8888, and YU12, 422P and GREY of the picture's own subsampling, take one pass, with no
    /// detour through RGB. NV12 and other pairs of subsamplings go through working memory once. YUV
    /// destinations must carry ``ColorDescription/jpeg`` (GREY: its range).
    /// - Returns: whether the data was intact. A damaged picture is decoded as far as possible.
    /// - Throws: `notJPEG`; `truncated` if the data ends too early (the destination then holds the
    ///   part before the end); `mismatched` if sizes differ; `unsupported`; `outOfBounds`.
    @unsafe
    @discardableResult
    public func decode(
        _ source: PixelAccess, into destination: PixelAccess, scale: JPEGScale = .full
    ) throws(ImagingError) -> JPEGCondition {
        try unsafe decode(
            Self.bytes(of: source), into: FrameView(destination), scale: scale)
    }

    /// Decodes bytes anywhere in memory, like ``decode(_:into:scale:)-(PixelAccess,_,_)``.
    @unsafe
    @discardableResult
    public func decode(
        _ bytes: [UInt8], into destination: PixelAccess, scale: JPEGScale = .full
    ) throws(ImagingError) -> JPEGCondition {
        let view = try unsafe FrameView(destination)
        return try unsafe Self.with(bytes) { (raw) throws(ImagingError) in
            try unsafe decode(raw, into: view, scale: scale)
        }
    }

    /// Decodes a file's picture into memory of its own: XRGB8888 in sRGB, converted by the file's
    /// ICC profile if it has one; `keepsColors` keeps the file's red, green and blue. Printing inks
    /// without a profile are converted as ideal inks. Throws as
    /// ``decode(_:into:scale:)-(PixelAccess,_,_)`` does.
    public func picture(
        of bytes: [UInt8], scale: JPEGScale = .full, keepsColors: Bool = false
    ) throws(ImagingError) -> PixelStorage {
        let header = try header(of: bytes)
        var picture = try PixelStorage(
            .xrgb, scale.apply(to: header.dimensions), color: .jpeg)
        let profile = JPEGMarkers.profile(bytes).flatMap { ColorProfile($0) }
        try unsafe picture.withMutablePixels { (access) throws(ImagingError) in
            if header.isCMYK {
                try unsafe decodeInks(bytes, into: FrameView(access), profile)
                return
            }
            _ = try unsafe decode(bytes, into: access, scale: scale)
            guard let profile, !keepsColors, !profile.isSRGB else { return }
            _ = unsafe profile.convertToSRGB(access)
        }
        return picture
    }

    private func decodeInks(
        _ bytes: [UInt8], into picture: FrameView, _ profile: ColorProfile?
    ) throws(ImagingError) {
        let isInverted = JPEGMarkers.isOfAdobe(bytes)
        let stride = unsafe picture.width * 4
        let inks = try unsafe planes.reserve(stride * picture.height)
        try unsafe Self.with(bytes) { (raw) throws(ImagingError) in
            try unsafe withTurbo(for: raw) { (turbo) throws(ImagingError) in
                let start = unsafe raw.baseAddress?.assumingMemoryBound(to: UInt8.self)
                let result = unsafe tjDecompress2(
                    turbo.handle, start, UInt(raw.count), inks, CInt(picture.width), CInt(stride),
                    CInt(picture.height), CInt(TJPF_CMYK.rawValue), flags)
                _ = try unsafe condition(result, raw, turbo)
            }
        }
        if let profile, unsafe profile.convert(inks: inks, isInverted: isInverted, to: picture) {
            return
        }
        for row in unsafe 0..<picture.height {
            let (from, to) = unsafe (
                inks + row * stride, picture.first.start + row * Int(picture.first.stride)
            )
            for at in Swift.stride(from: 0, to: stride, by: 4) {
                // An ink leaves a part of its colour, and black leaves a part of all three.
                func left(_ ink: Int) -> Int {
                    let value = unsafe Int(from[at + ink])
                    return isInverted ? value : 255 - value
                }
                for color in 0..<3 {
                    unsafe to[at + color] = UInt8(left(2 - color) * left(3) / 255)
                }
            }
        }
    }

    // MARK: Bytes

    private static func bytes(
        of source: PixelAccess
    ) throws(ImagingError) -> UnsafeRawBufferPointer {
        let description = unsafe source.description
        guard description.pixelFormat.isCompressed, let layout = description.planes.first else {
            throw ImagingError(.notJPEG, "\(description.pixelFormat) frames hold no JPEG picture")
        }
        let count = unsafe source.bytesUsed
        guard layout.offset >= 0, count >= 0,
            description.bufferSizes.indices.contains(layout.buffer),
            layout.offset + count <= description.bufferSizes[layout.buffer]
        else {
            throw ImagingError(.outOfBounds, "\(count) bytes of JPEG in a smaller buffer")
        }
        return unsafe UnsafeRawBufferPointer(start: source.plane(0), count: count)
    }

    private static func with<Result>(
        _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(ImagingError) in
            try unsafe body(UnsafeRawBufferPointer(buffer))
        }
    }

    // MARK: Decoding

    func header(of bytes: UnsafeRawBufferPointer) throws(ImagingError) -> JPEGHeader {
        try unsafe withTurbo(for: bytes) { (turbo) throws(ImagingError) in
            try unsafe Self.header(of: bytes, turbo)
        }
    }

    func decode(
        _ bytes: UnsafeRawBufferPointer, into destination: FrameView, scale: JPEGScale
    ) throws(ImagingError) -> JPEGCondition {
        try unsafe withTurbo(for: bytes) { (turbo) throws(ImagingError) in
            try unsafe decode(bytes, into: destination, scale: scale, turbo)
        }
    }

    private func withTurbo<Result>(
        for bytes: UnsafeRawBufferPointer,
        _ body: (borrowing TurboJPEG) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        let hasTables = unsafe JPEGScan.hasHuffmanTables(bytes)
        do throws(ImagingError) {
            return try hasTables ? body(withTables) : body(withoutTables)
        } catch {
            // TurboJPEG 2.1 stays inside a header that it gave up, and rejects all later pictures.
            if error.code == .notJPEG {
                if hasTables {
                    withTables = try .decompressor()
                } else {
                    withoutTables = try .decompressor()
                }
            }
            throw error
        }
    }

    private static func header(
        of bytes: UnsafeRawBufferPointer, _ turbo: borrowing TurboJPEG
    ) throws(ImagingError) -> JPEGHeader {
        var (width, height, code, space): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
        guard unsafe JPEGScan.startsPicture(bytes) else {
            throw ImagingError(.notJPEG, "\(bytes.count) bytes that are no JPEG picture")
        }
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = unsafe tjDecompressHeader3(
            turbo.handle, start, UInt(bytes.count), &width, &height, &code, &space)
        guard result == 0 || turbo.warnedOnly, width > 0, height > 0 else {
            throw ImagingError(.notJPEG, "JPEG header: \(turbo.complaint)")
        }
        let isCMYK = [CInt(TJCS_CMYK.rawValue), CInt(TJCS_YCCK.rawValue)].contains(space)
        guard let subsampling = isCMYK ? .yuv444 : JPEGSubsampling(code: code) else {
            throw ImagingError(.unsupported, "JPEG of subsampling \(code)")
        }
        guard Int(width) <= largestSide, Int(height) <= largestSide else {
            throw ImagingError(.unsupported, "JPEG of \(width)x\(height)")
        }
        return JPEGHeader(
            dimensions: Dimensions(width: Int(width), height: Int(height)),
            subsampling: subsampling, isCMYK: isCMYK)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, into destination: FrameView, scale: JPEGScale,
        _ turbo: borrowing TurboJPEG
    ) throws(ImagingError) -> JPEGCondition {
        let header = try unsafe Self.header(of: bytes, turbo)
        guard !header.isCMYK else {
            throw ImagingError(.unsupported, "JPEG of printing inks as a frame")
        }
        let size = scale.apply(to: header.dimensions)
        guard unsafe size.width == destination.width, unsafe size.height == destination.height
        else {
            throw unsafe ImagingError(
                .mismatched,
                "JPEG of \(header.dimensions), decoded to \(size), does not fill "
                    + "\(destination.width)x\(destination.height)")
        }
        if unsafe destination.format == .xrgb {
            let to = unsafe destination.first
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let result = unsafe tjDecompress2(
                turbo.handle, start, UInt(bytes.count), to.start, CInt(size.width), to.stride,
                CInt(size.height), CInt(TJPF_BGRX.rawValue), flags)
            return try unsafe condition(result, bytes, turbo)
        }
        guard unsafe destination.format.isYUV else {
            throw unsafe ImagingError(.unsupported, "JPEG into \(destination.format)")
        }
        guard unsafe destination.color.agrees(with: .jpeg, grey: destination.format == .grey)
        else {
            throw unsafe ImagingError(
                .unsupported,
                "JPEG into \(destination.format) \(destination.color.matrix) "
                    + "\(destination.color.range): JPEG is bt601 full")
        }
        if unsafe takesPlanes(destination, header.subsampling) {
            let (u, v) = unsafe destination.chroma
            let result = unsafe decodePlanes(
                bytes, size, destination.first, u, v, turbo)
            return try unsafe condition(result, bytes, turbo)
        }
        return try unsafe decodeThroughScratch(
            bytes, into: destination, header.subsampling, turbo)
    }

    /// Whether TurboJPEG can write the planes itself. It fills whole chroma steps, so that it would
    /// write beyond a picture of odd width or height.
    private func takesPlanes(_ frame: FrameView, _ subsampling: JPEGSubsampling) -> Bool {
        switch unsafe (frame.format, subsampling) {
        case (.grey, .grey): true
        case (.yuv422, .yuv422): unsafe frame.width % 2 == 0
        case (.yuv420, .yuv420), (.yvu420, .yuv420):
            unsafe frame.width % 2 == 0 && frame.height % 2 == 0
        default: false
        }
    }

    private func decodePlanes(
        _ bytes: UnsafeRawBufferPointer, _ size: Dimensions, _ y: FrameView.Plane,
        _ u: FrameView.Plane, _ v: FrameView.Plane, _ turbo: borrowing TurboJPEG
    ) -> CInt {
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let handle = unsafe turbo.handle
        return unsafe withPlaneArrays(y, u, v) { planes, strides in
            unsafe tjDecompressToYUVPlanes(
                handle, start, UInt(bytes.count), planes, CInt(size.width), strides,
                CInt(size.height), flags)
        }
    }

    private func decodeThroughScratch(
        _ bytes: UnsafeRawBufferPointer, into destination: FrameView,
        _ subsampling: JPEGSubsampling, _ turbo: borrowing TurboJPEG
    ) throws(ImagingError) -> JPEGCondition {
        let size = unsafe Dimensions(width: destination.width, height: destination.height)
        let scratch = try unsafe YUVPlanes(size, subsampling, in: &planes)
        let result = unsafe decodePlanes(bytes, size, scratch.y, scratch.u, scratch.v, turbo)
        let condition = try unsafe condition(result, bytes, turbo)
        // NV12 from 4:4:4 and similar subsamplings needs two steps. Every other pair needs one.
        if let view = unsafe scratch.view,
            unsafe PixelConverter.canConvert(from: view.format, to: destination.format)
        {
            try unsafe converter.convert(view, to: destination)
        } else if unsafe destination.format == .nv12 {
            let halved = try unsafe YUVPlanes(size, .yuv420, in: &resampled)
            guard let view = unsafe halved.view else { preconditionFailure("4:2:0 has a format") }
            try unsafe scratch.resample(into: view)
            try unsafe converter.convert(view, to: destination)
        } else {
            try unsafe scratch.resample(into: destination)
        }
        return condition
    }

    /// Judges a decoding call. TurboJPEG also fails calls that only warn about the data.
    private func condition(
        _ result: CInt, _ bytes: UnsafeRawBufferPointer, _ turbo: borrowing TurboJPEG
    ) throws(ImagingError) -> JPEGCondition {
        complaint = result == 0 ? nil : turbo.complaint
        if result == 0 { return .intact }
        guard turbo.warnedOnly else {
            throw ImagingError(.notJPEG, "JPEG: \(turbo.complaint)")
        }
        guard unsafe JPEGScan.hasEnd(bytes) else {
            throw ImagingError(
                .truncated, "JPEG ends after \(bytes.count) bytes: \(turbo.complaint)")
        }
        return .damaged
    }
}

/// The limit of 500 scans: endless scans of a progressive picture would stall the thread.
private let flags = CInt(TJFLAG_LIMITSCANS)

/// The few markers that determine how a picture is decoded.
enum JPEGScan {
    static func startsPicture(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.count > 4 && bytes[0] == 0xff && bytes[1] == 0xd8
    }

    /// Whether a DHT segment comes before the first scan.
    static func hasHuffmanTables(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = 2
        while at + 3 < bytes.count {
            guard unsafe bytes[at] == 0xff else { return false }
            switch unsafe bytes[at + 1] {
            case 0xc4: return true
            case 0xda, 0xd9: return false
            case 0xff: at += 1
            default: unsafe at += 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
            }
        }
        return false
    }

    /// Whether an EOI marker ends the data, padding aside.
    static func hasEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = bytes.count - 2
        while at >= 2 {
            if unsafe bytes[at] == 0xff, unsafe bytes[at + 1] == 0xd9 { return true }
            at -= 1
        }
        return false
    }
}

/// Calls `body` with the three planes as TurboJPEG takes them: two C arrays on the stack.
@unsafe
private func withPlaneArrays<Result>(
    _ y: FrameView.Plane, _ u: FrameView.Plane, _ v: FrameView.Plane,
    _ body: (
        UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<CInt>
    ) -> Result
) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt8>?.self, capacity: 3) {
        planes in
        unsafe withUnsafeTemporaryAllocation(of: CInt.self, capacity: 3) { strides in
            unsafe planes.initializeElement(at: 0, to: y.start)
            unsafe planes.initializeElement(at: 1, to: u.start)
            unsafe planes.initializeElement(at: 2, to: v.start)
            unsafe strides.initializeElement(at: 0, to: y.stride)
            unsafe strides.initializeElement(at: 1, to: u.stride)
            unsafe strides.initializeElement(at: 2, to: v.stride)
            guard let plane = planes.baseAddress, let stride = strides.baseAddress
            else { preconditionFailure("an allocation of three without an address") }
            return unsafe body(plane, stride)
        }
    }
}
