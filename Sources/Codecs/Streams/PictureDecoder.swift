// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Decodes the pictures of a track with libavcodec. Not thread-safe.
@safe
public final class PictureDecoder {
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

    /// Whether pictures that no other one needs are left out.
    public var skipsUnreferenced = false {
        didSet {
            unsafe context?.pointee.skip_frame =
                skipsUnreferenced ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
        }
    }

    /// Forgets all pictures. The next packet must be a key frame.
    public func reset() { unsafe avcodec_flush_buffers(context) }

    /// Takes a packet; `nil` at the end, after which the last pictures come. Returns `false` if
    /// pictures have to be received first. Damaged data makes no picture.
    public func send(_ packet: MediaPacket?) -> Bool {
        unsafe avcodec_send_packet(context, packet?.packet) != cffmpeg_again
    }

    /// Returns the next picture in the order of presentation; `nil` if there is none yet, or none
    /// any more.
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

/// A decoded picture in libavcodec's memory. Any thread may read and release it.
@safe
public final class DecodedPicture: @unchecked Sendable {
    private let frame: UnsafeMutablePointer<AVFrame>
    /// When the picture is presented, from the file's beginning.
    public let time: MediaTime
    /// How long it is presented; zero if the file does not say.
    public let duration: MediaTime
    /// The format and layout; `nil` if this program cannot use the format as it is.
    public let description: FrameDescription?

    /// Takes a frame over, and leaves an empty one.
    init?(_ other: UnsafeMutablePointer<AVFrame>, _ reader: MediaReader, _ track: MediaTrack) {
        guard let frame = unsafe av_frame_alloc() else { return nil }
        unsafe av_frame_move_ref(frame, other)
        unsafe self.frame = frame
        time = unsafe reader.time(frame.pointee.best_effort_timestamp, of: track)
        duration = unsafe track.time(max(cffmpeg_duration(frame), 0))
        description = unsafe FrameDescription(frame.pointee)
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&frame)
    }

    /// The closed captions that came with the picture: CEA-708 packets of three bytes; `nil` for
    /// none.
    public var closedCaptions: [UInt8]? {
        var count = 0
        guard let start = unsafe cffmpeg_captions(frame, &count) else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The size in pixels.
    public var dimensions: Dimensions {
        unsafe Dimensions(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
    }

    /// Calls `body` with the pixels, which it must not change; returns `nil` if ``description`` is.
    @unsafe
    public func withPixels<Result, Failure: Error>(
        _ body: (PixelAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let description, let first = unsafe frame.pointee.data.0 else { return nil }
        return try unsafe body(
            PixelAccess(description, first, frame.pointee.data.1, frame.pointee.data.2))
    }
}

extension FrameDescription {
    /// Describes the formats of libavcodec that are Vitrine's, too.
    fileprivate init?(_ frame: AVFrame) {
        let format: PixelFormat
        var isFull = unsafe frame.color_range == AVCOL_RANGE_JPEG
        switch unsafe AVPixelFormat(frame.format) {
        case AV_PIX_FMT_YUV420P: format = .yuv420
        case AV_PIX_FMT_YUV422P: format = .yuv422
        case AV_PIX_FMT_YUVJ420P: (format, isFull) = (.yuv420, true)
        case AV_PIX_FMT_YUVJ422P: (format, isFull) = (.yuv422, true)
        case AV_PIX_FMT_NV12: format = .nv12
        case AV_PIX_FMT_GRAY8: format = .grey
        default: return nil
        }
        let size = unsafe Dimensions(width: Int(frame.width), height: Int(frame.height))
        guard let packed = FrameDescription(format, size) else { return nil }
        let rows = unsafe [frame.linesize.0, frame.linesize.1, frame.linesize.2].map { Int($0) }
        guard zip(packed.planes, rows).allSatisfy({ $0.bytesPerRow <= $1 }) else { return nil }
        let planes = packed.planes.indices.map {
            PlaneLayout(
                buffer: $0, offset: 0, bytesPerRow: rows[$0], rows: packed.planes[$0].rows)
        }
        let matrix: ColorDescription.Matrix =
            switch unsafe frame.colorspace {
            case AVCOL_SPC_BT709: .bt709
            case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: .bt2020
            // A file that says nothing has the usual matrix of its size.
            case AVCOL_SPC_UNSPECIFIED where size.height >= 720 && !isFull: .bt709
            default: .bt601
            }
        self.init(
            pixelFormat: format, dimensions: size, planes: planes,
            bufferSizes: planes.map { $0.bytesPerRow * $0.rows },
            color: ColorDescription(matrix: matrix, range: isFull ? .full : .limited))
    }
}
