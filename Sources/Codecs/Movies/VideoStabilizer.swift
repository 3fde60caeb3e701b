// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Media

/// Removes camera shake from consecutive pictures with libavfilter's `deshake`, loaded for the
/// first stabilizer. Mirrored content fills the area beyond a picture's edges. Not thread-safe.
@safe
final class VideoStabilizer {
    private var graph = unsafe cffmpeg_graph()

    /// The format of the stabilized pictures: planar 4:2:0 for any input.
    static let output = AV_PIX_FMT_YUV420P
    /// After `copy`, no filter refers to the camera's memory.
    private static let filters = "format=yuv420p,copy,deshake=search=less:blocksize=16"

    /// - Throws: `missing` if a library is not installed; `unsupported`.
    init(_ format: AVPixelFormat, _ size: Dimensions) throws(CodecError) {
        try FFmpegLibrary.loadFilters()
        let code = unsafe cffmpeg_open_graph(
            &graph, CInt(size.width), CInt(size.height), format, Self.filters)
        if code < 0 {
            throw CodecError(.unsupported, "deshake at \(size): \(FFmpegLibrary.reason(code))")
        }
    }

    deinit { unsafe cffmpeg_close_graph(&graph) }

    /// Consumes `frame`, and stores the stabilized picture with the same time in `steady`. Throws
    /// `failed`; the stabilizer is unusable then.
    func stabilize(
        _ frame: UnsafeMutablePointer<AVFrame>, into steady: UnsafeMutablePointer<AVFrame>
    ) throws(CodecError) {
        let code = unsafe cffmpeg_run_graph(&graph, frame, steady)
        if code < 0 { throw CodecError(.failed, "deshake: \(FFmpegLibrary.reason(code))") }
    }
}
