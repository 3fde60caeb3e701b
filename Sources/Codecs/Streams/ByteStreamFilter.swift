// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Turns packets into the data that decoder devices read: H.264 and H.265 into byte streams (annex
/// B), in which parameter sets precede the first key frame. Other data stays as it is. Not
/// thread-safe.
@safe
public final class ByteStreamFilter {
    private var context: UnsafeMutablePointer<AVBSFContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private var isBeginning = true

    /// - Throws: `missing` if libavcodec has no such filter; `unsupported` for damaged parameters.
    public init(_ track: MediaTrack, of reader: MediaReader) throws(CodecError) {
        guard let name = track.codedFormat.flatMap({ Self.names[$0] }) else { return }
        guard let filter = unsafe av_bsf_get_by_name(name) else {
            throw CodecError(.missing, "libavcodec has no filter \(name)")
        }
        var context: UnsafeMutablePointer<AVBSFContext>?
        var code = unsafe av_bsf_alloc(filter, &context)
        if code >= 0 {
            code =
                unsafe reader.withParameters(of: track) { parameters in
                    unsafe avcodec_parameters_copy(context?.pointee.par_in, parameters)
                } ?? cffmpeg_invalid_data
        }
        if code >= 0 { code = unsafe av_bsf_init(context) }
        guard code >= 0, let packet = unsafe av_packet_alloc() else {
            unsafe av_bsf_free(&context)
            throw CodecError(.unsupported, "\(track.codec): \(FFmpegLibrary.reason(code))")
        }
        unsafe (self.context, self.packet) = (context, packet)
    }

    private static let names: [PixelFormat: String] = [
        .h264: "h264_mp4toannexb", .hevc: "hevc_mp4toannexb",
    ]

    deinit {
        unsafe av_packet_free(&packet)
        unsafe av_bsf_free(&context)
    }

    /// Begins anew, before a jump.
    public func reset() {
        isBeginning = true
        if unsafe context != nil { unsafe av_bsf_flush(context) }
    }

    /// Calls `body` with the data of a packet; returns `nil` without calling it if the packet is
    /// damaged.
    @unsafe
    public func withData<Result, Failure: Error>(
        of other: MediaPacket, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let context = unsafe context, let packet = unsafe packet else {
            return try unsafe body(Self.data(of: other.packet))
        }
        // The filter takes the reference over.
        guard unsafe av_packet_ref(packet, other.packet) >= 0,
            unsafe av_bsf_send_packet(context, packet) >= 0
        else {
            unsafe av_packet_unref(packet)
            return nil
        }
        guard unsafe av_bsf_receive_packet(context, packet) >= 0 else { return nil }
        defer { unsafe av_packet_unref(packet) }
        let data = unsafe Self.data(of: packet)
        if !isBeginning { return try unsafe body(data) }
        isBeginning = false
        // The filter adds parameter sets to some kinds of key frames only.
        let parameters = unsafe context.pointee.par_out
        let sets = unsafe UnsafeRawBufferPointer(
            start: parameters?.pointee.extradata,
            count: Int(parameters?.pointee.extradata_size ?? 0))
        let whole = unsafe Array(sets) + Array(data)
        return try unsafe whole.span.bytes.withUnsafeBytes { bytes throws(Failure) in
            try unsafe body(bytes)
        }
    }

    private static func data(of packet: UnsafeMutablePointer<AVPacket>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
    }
}
