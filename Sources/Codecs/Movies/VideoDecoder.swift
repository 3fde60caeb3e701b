// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Decodes H.264 with libavcodec, one picture per call. A picture may refer to earlier ones only,
/// as those of cameras do. Not thread-safe.
@safe
public final class VideoDecoder {
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private static let name = "h264"

    /// Loads libavcodec and opens its H.264 decoder. Throws `missing` if a library or the decoder
    /// is not installed; `exhausted`; `unsupported`.
    public init() throws(CodecError) {
        try FFmpegLibrary.load()
        guard let codec = unsafe avcodec_find_decoder_by_name(Self.name) else {
            throw CodecError(.missing, "libavcodec has no decoder \(Self.name)")
        }
        guard let context = unsafe avcodec_alloc_context3(codec) else {
            throw CodecError(.exhausted, "no memory for a video decoder")
        }
        // Decoder threads would delay pictures.
        unsafe context.pointee.thread_count = 1
        unsafe context.pointee.flags |= cffmpeg_low_delay
        unsafe context.pointee.err_recognition |= cffmpeg_explode
        let code = unsafe avcodec_open2(context, codec, nil)
        if code < 0 {
            var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
            unsafe avcodec_free_context(&context)
            throw CodecError(.unsupported, "\(Self.name): \(FFmpegLibrary.reason(code))")
        }
        unsafe (self.context, frame, packet) = (context, av_frame_alloc(), av_packet_alloc())
    }

    deinit {
        unsafe av_packet_free(&packet)
        unsafe av_frame_free(&frame)
        unsafe avcodec_free_context(&context)
    }

    /// Forgets all pictures. The next one must be a key frame.
    public func reset() { unsafe avcodec_flush_buffers(context) }

    /// Decodes a picture, an access unit as a byte stream (ITU-T H.264, annex B), into `target`:
    /// ``PixelFormat/yuv420`` of the stream's size; `nil` if only later pictures are wanted.
    /// Returns `false` if the picture is damaged, of another size, or not 4:2:0 with 8 bits; later
    /// pictures may refer to it.
    @unsafe
    public func decode(_ unit: [UInt8], into target: PixelAccess?) -> Bool {
        guard let context = unsafe context, let frame = unsafe frame, let packet = unsafe packet,
            !unit.isEmpty, unsafe av_new_packet(packet, CInt(unit.count)) == 0
        else { return false }
        unsafe unit.withUnsafeBufferPointer { bytes in
            guard let start = unsafe bytes.baseAddress else { return }
            unsafe packet.pointee.data.update(from: start, count: bytes.count)
        }
        let sent = unsafe avcodec_send_packet(context, packet)
        unsafe av_packet_unref(packet)
        defer { unsafe av_frame_unref(frame) }
        guard sent == 0, unsafe avcodec_receive_frame(context, frame) == 0 else { return false }
        if unsafe frame.pointee.decode_error_flags != 0 { return false }
        guard let target = unsafe target else { return true }
        return unsafe Self.copy(frame.pointee, to: target)
    }

    @unsafe
    private static func copy(_ frame: AVFrame, to target: PixelAccess) -> Bool {
        let size = unsafe target.description.dimensions
        let isUsual = unsafe [AV_PIX_FMT_YUV420P.rawValue, AV_PIX_FMT_YUVJ420P.rawValue]
            .contains(frame.format)
        let isFitting = unsafe Int(frame.width) == size.width && Int(frame.height) == size.height
        guard isUsual, isFitting else { return false }
        let (planes, rows) = unsafe (
            [frame.data.0, frame.data.1, frame.data.2],
            [frame.linesize.0, frame.linesize.1, frame.linesize.2].map { Int($0) }
        )
        for index in 0..<3 {
            guard let source = unsafe planes[index] else { return false }
            let layout = unsafe target.description.planes[index]
            let count = min(layout.bytesPerRow, rows[index])
            for row in 0..<layout.rows {
                unsafe (target.plane(index) + row * layout.bytesPerRow)
                    .update(from: source + row * rows[index], count: count)
            }
        }
        return true
    }
}
