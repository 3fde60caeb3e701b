// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Decodes the pictures of a track with libavcodec. Not thread-safe.
@safe
public final class PictureDecoder: PictureDecoding {
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private let reader: MediaReader
    private let track: MediaTrack
    /// The filter for pictures of formats that Vitrine has not, such as those of ten bits.
    private var converter: (graph: cffmpeg_graph, format: CInt, dimensions: Dimensions)?

    /// The most pixels of a picture: a little more than those of 8K. A larger one is not decoded.
    public static let mostPixels = 40_000_000

    /// - Parameter threads: How many pictures are decoded at a time. Each thread delays pictures by
    ///   one.
    /// - Throws: `missing` if there is no decoder; `exhausted`; `unsupported`.
    public init(_ track: MediaTrack, of reader: MediaReader, threads: Int) throws(CodecError) {
        (self.track, self.reader) = (track, reader)
        unsafe context = try DecoderContext.open(track, of: reader, threads: CInt(threads))
        unsafe frame = av_frame_alloc()
    }

    deinit {
        closeConverter()
        unsafe av_frame_free(&frame)
        unsafe avcodec_free_context(&context)
    }

    /// libavcodec's name of the codec.
    public var name: String { "libavcodec \(track.codec)" }

    /// See ``PictureDecoding/skipsUnreferenced``.
    public var skipsUnreferenced = false {
        didSet {
            unsafe context?.pointee.skip_frame =
                skipsUnreferenced ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
        }
    }

    /// See ``PictureDecoding/reset()``.
    public func reset() { unsafe avcodec_flush_buffers(context) }

    /// See ``PictureDecoding/send(_:)``.
    public func send(_ packet: MediaPacket?) {
        _ = unsafe avcodec_send_packet(context, packet?.packet)
    }

    /// See ``PictureDecoding/receive()``.
    public func receive() -> DecodedPicture? {
        guard let frame = unsafe frame else { return nil }
        guard unsafe avcodec_receive_frame(context, frame) == 0 else { return nil }
        if unsafe FrameDescription(frame.pointee) == nil { unsafe convert(frame) }
        return unsafe DecodedPicture(frame, reader, track)
    }

    /// Converts a picture to 4:2:0 of eight bits. If that fails, the picture stays as it is.
    private func convert(_ frame: UnsafeMutablePointer<AVFrame>) {
        let format = unsafe frame.pointee.format
        let size = unsafe Dimensions(
            width: Int(frame.pointee.width), height: Int(frame.pointee.height))
        if unsafe converter?.format != format || converter?.dimensions != size {
            closeConverter()
            var graph = unsafe cffmpeg_graph()
            guard (try? FFmpegLibrary.loadFilters()) != nil,
                unsafe cffmpeg_open_graph(
                    &graph, CInt(size.width), CInt(size.height), AVPixelFormat(format),
                    "format=yuv420p") >= 0
            else { return }
            unsafe converter = (graph, format, size)
        }
        guard let made = unsafe av_frame_alloc() as UnsafeMutablePointer<AVFrame>? else { return }
        if unsafe converter.map({ pair in
            var graph = unsafe pair.graph
            return unsafe cffmpeg_run_graph(&graph, frame, made) >= 0
        }) == true {
            unsafe av_frame_unref(frame)
            unsafe av_frame_move_ref(frame, made)
        }
        var rest: UnsafeMutablePointer<AVFrame>? = unsafe made
        unsafe av_frame_free(&rest)
    }

    private func closeConverter() {
        if var graph = unsafe converter?.graph { unsafe cffmpeg_close_graph(&graph) }
        unsafe converter = nil
    }
}
