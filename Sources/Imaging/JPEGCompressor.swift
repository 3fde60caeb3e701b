// SPDX-License-Identifier: GPL-3.0-or-later

internal import CJPEG
internal import Media

/// One libjpeg compressor, owned: rows of MCUs (ITU-T T.81, A.2) go in from the top of a picture to its end. A picture
/// that is given up half-way ends with the next ``start(_:of:subsampling:quality:into:)``.
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

    /// - Parameters:
    ///   - format: of what is written; of YUV ones only whether it is grey counts.
    ///   - quality: 1 (smallest) to 100 (best); others count as the nearer of the two.
    ///   - buffer: borrowed until the picture's end; of ``JPEGSubsampling/largestJPEG(of:)`` bytes.
    /// - Throws: `unsupported` for RGB that libjpeg does not read, `failed`; as all that follows.
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
        var picture = cjpeg_picture(
            width: UInt32(size.width), height: UInt32(size.height), input: input,
            is_grey: subsampling == .grey ? 1 : 0, across: CInt(subsampling.step.horizontal),
            down: CInt(subsampling.step.vertical), quality: CInt(min(max(quality, 1), 100)))
        try unsafe check(cjpeg_start(handle, &picture, buffer.baseAddress, buffer.count))
    }

    /// The next row of MCUs, or what the picture has left of it; each row of samples is readable to the end of its last
    /// block of eight.
    func write(_ rows: YUVPlanes) throws(ImagingError) {
        try unsafe check(
            cjpeg_write_planes(
                handle, cjpeg_plane(rows.y), cjpeg_plane(rows.u), cjpeg_plane(rows.v)))
    }

    /// The next rows of RGB.
    func write(_ rows: FrameView) throws(ImagingError) {
        try unsafe check(
            cjpeg_write_pixels(handle, cjpeg_plane(rows.first), CInt(rows.height)))
    }

    /// - Returns: the JPEG's bytes.
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
