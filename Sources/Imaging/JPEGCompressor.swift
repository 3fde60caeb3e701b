// SPDX-License-Identifier: GPL-3.0-or-later

internal import CJPEG
internal import Media

/// The owner of a libjpeg compressor. It takes a picture's rows of MCUs (ITU-T T.81, A.2) from top
/// to bottom. The next ``start(_:of:subsampling:quality:into:)`` abandons an unfinished picture.
@safe
struct JPEGCompressor: ~Copyable {
    private let handle: OpaquePointer

    /// - Throws: `exhausted` without memory.
    init() throws(ImagingError) {
        guard let handle = unsafe cjpeg_create() else {
            throw ImagingError(.exhausted, "no memory for libjpeg")
        }
        unsafe self.handle = handle
    }

    deinit { unsafe cjpeg_destroy(handle) }

    /// Starts a picture. A YUV `format` only says whether the rows are grey. `quality` is 1
    /// (smallest) to 100 (best); other values are clamped. `buffer` has
    /// ``JPEGSubsampling/largestJPEG(of:)`` bytes and is borrowed until the picture's end. Throws
    /// `unsupported` for RGB that libjpeg does not read; `failed`, as do all methods below.
    func start(
        _ size: Dimensions, of format: PixelFormat, subsampling: JPEGSubsampling, quality: Int,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) throws(ImagingError) {
        let input: J_COLOR_SPACE
        switch format {
        case .grey: input = JCS_GRAYSCALE
        case .rgb24: input = JCS_EXT_RGB
        case .bgr24: input = JCS_EXT_BGR
        case .xrgb: input = JCS_EXT_BGRX
        case _ where format.isYUV: input = JCS_YCbCr
        default: throw ImagingError(.unsupported, "JPEG of \(format)")
        }
        // libjpeg-turbo has the accurate transform alone for AVX2. Without AVX2 the other one is
        // faster and, below a quality of 96 (TurboJPEG's limit too), as good to the eye.
        let isAccurate = cjpeg_has_avx2() != 0 || quality >= 96
        var picture = cjpeg_picture(
            width: UInt32(size.width), height: UInt32(size.height), input: input,
            is_grey: subsampling == .grey ? 1 : 0, across: CInt(subsampling.step.horizontal),
            down: CInt(subsampling.step.vertical), quality: CInt(min(max(quality, 1), 100)),
            transform: isAccurate ? JDCT_ISLOW : JDCT_IFAST)
        try unsafe check(cjpeg_start(handle, &picture, buffer.baseAddress, buffer.count))
    }

    /// Writes the next row of MCUs, or what is left of the picture. Each row of samples must be
    /// readable to the end of its last block of eight.
    func write(_ rows: YUVPlanes) throws(ImagingError) {
        try unsafe check(
            cjpeg_write_planes(
                handle, cjpeg_plane(rows.y), cjpeg_plane(rows.u), cjpeg_plane(rows.v)))
    }

    /// Writes the next rows of RGB.
    func write(_ rows: FrameView) throws(ImagingError) {
        try unsafe check(
            cjpeg_write_pixels(handle, cjpeg_plane(rows.first), CInt(rows.height)))
    }

    /// Ends the picture; returns the size of the JPEG in bytes.
    func finish() throws(ImagingError) -> Int {
        let count = unsafe cjpeg_finish(handle)
        try check(count > 0 ? 0 : -1)
        return count
    }

    private func check(_ result: CInt) throws(ImagingError) {
        guard result < 0 else { return }
        throw ImagingError(.failed, unsafe "JPEG: \(String(cString: cjpeg_complaint(handle)))")
    }
}

extension cjpeg_plane {
    fileprivate init(_ plane: FrameView.Plane) {
        unsafe self.init(first: plane.start, stride: plane.stride)
    }
}
