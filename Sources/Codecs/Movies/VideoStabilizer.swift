// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Media

/// Takes the shaking out of pictures that follow each other, by libavfilter's `deshake`, which is loaded when the first one
/// is made. What is beyond a picture's edges is mirrored from within.
///
/// For one thread at a time.
@safe
final class VideoStabilizer {
    private var graph = unsafe cffmpeg_graph()

    /// Its pictures: planar 4:2:0, whatever goes in.
    static let output = AV_PIX_FMT_YUV420P
    /// The first one leaves nobody with memory that is the camera's.
    private static let filters = "format=yuv420p,copy,deshake=search=less:blocksize=16"
    private static let failure: String? = unsafe cffmpeg_load_filters().map {
        unsafe String(cString: $0)
    }

    /// - Throws: `missing` where libavfilter is, `unsupported`.
    init(_ format: AVPixelFormat, _ size: Dimensions) throws(CodecError) {
        try Self.load()
        let code = unsafe cffmpeg_open_graph(
            &graph, CInt(size.width), CInt(size.height), format, Self.filters)
        if code < 0 {
            throw CodecError(.unsupported, "deshake at \(size): \(FFmpegLibrary.reason(code))")
        }
    }

    /// - Throws: `missing` where a library is.
    static func load() throws(CodecError) {
        try FFmpegLibrary.load()
        if let failure {
            throw CodecError(.missing, "no stabilisation: \(failure); next: install that library")
        }
    }

    deinit { unsafe cffmpeg_close_graph(&graph) }

    /// - Parameters:
    ///   - frame: is taken away.
    ///   - steady: gets the same one, with the same time.
    /// - Throws: `failed`; it is of no use then.
    func stabilize(
        _ frame: UnsafeMutablePointer<AVFrame>, into steady: UnsafeMutablePointer<AVFrame>
    ) throws(CodecError) {
        let code = unsafe cffmpeg_run_graph(&graph, frame, steady)
        if code < 0 { throw CodecError(.failed, "deshake: \(FFmpegLibrary.reason(code))") }
    }
}
