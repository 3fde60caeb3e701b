// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Encodes sound to AAC with libavcodec. Not thread-safe. If the samples' clock differs from the
/// movie's, ``correct(by:over:)`` adds or removes a few samples inaudibly.
@safe
public final class AudioEncoder {
    /// Samples per channel in a packet.
    public static let packetLength = 1024
    /// The format of the samples.
    public let format: AudioFormat
    /// The AudioSpecificConfig (ISO/IEC 14496-3) that a player needs before the first packet.
    public let configuration: [UInt8]
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var resampler: OpaquePointer?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    /// The first sample's time in nanoseconds. Packet times count from there.
    private var start: Int64?
    private var framesIn: Int64 = 0

    private static let bitsPerSecondAndChannel: Int64 = 64_000
    private static let encoderName = "aac"

    /// Loads libavcodec and opens its AAC encoder. Throws `missing` if a library or the encoder is
    /// not installed; `unsupported`; `exhausted`.
    public init(_ format: AudioFormat) throws(CodecError) {
        self.format = format
        try FFmpegLibrary.load()
        guard let codec = unsafe avcodec_find_encoder_by_name(Self.encoderName) else {
            throw CodecError(.missing, "libavcodec has no encoder \(Self.encoderName)")
        }
        guard let context = unsafe avcodec_alloc_context3(codec) else {
            throw CodecError(.exhausted, "no memory for a sound encoder")
        }
        unsafe context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        unsafe context.pointee.sample_rate = CInt(format.sampleRate)
        unsafe context.pointee.ch_layout = cffmpeg_layout(CInt(format.channels))
        unsafe context.pointee.bit_rate = Self.bitsPerSecondAndChannel * Int64(format.channels)
        unsafe context.pointee.time_base = AVRational(num: 1, den: CInt(format.sampleRate))
        unsafe context.pointee.flags |= cffmpeg_global_header
        let code = unsafe avcodec_open2(context, codec, nil)
        guard code >= 0 else {
            var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
            unsafe avcodec_free_context(&context)
            throw CodecError(
                .unsupported, "\(Self.encoderName) of \(format): \(FFmpegLibrary.reason(code))")
        }
        configuration = unsafe [UInt8](
            UnsafeBufferPointer(
                start: context.pointee.extradata, count: Int(context.pointee.extradata_size)))
        unsafe self.context = context
        unsafe frame = av_frame_alloc()
        unsafe packet = av_packet_alloc()
        unsafe resampler = cffmpeg_resampler(CInt(format.channels), CInt(format.sampleRate))
        guard unsafe resampler != nil, unsafe frame != nil, unsafe packet != nil else {
            throw CodecError(.exhausted, "no memory for a sound encoder")
        }
    }

    deinit {
        unsafe av_packet_free(&packet)
        unsafe av_frame_free(&frame)
        unsafe swr_free(&resampler)
        unsafe avcodec_free_context(&context)
    }

    /// The end of the samples received so far, in nanoseconds of `CLOCK_MONOTONIC`; `nil` before
    /// the first. About one packet of them may still wait for more.
    public var end: Int64? {
        guard let start, let resampler = unsafe resampler else { return nil }
        let waiting = unsafe swr_get_delay(resampler, Int64(format.sampleRate))
        return start + format.duration(of: Int(framesIn + waiting))
    }

    /// Adds `delta` samples per channel to the next `distance`; a negative `delta` removes them.
    public func correct(by delta: Int, over distance: Int) {
        guard let resampler = unsafe resampler else { return }
        _ = unsafe swr_set_compensation(resampler, CInt(clamping: delta), CInt(clamping: distance))
    }

    /// Encodes samples that follow the previous ones, interleaved by channel. `time` is the first
    /// sample's, in nanoseconds of `CLOCK_MONOTONIC`; only the first call uses it. Returns the
    /// packets that are complete. Throws `failed`; the encoder is unusable then.
    public func encode(_ samples: [Int16], at time: Int64) throws(CodecError) -> [EncodedSample] {
        let start = start ?? time
        self.start = start
        guard let resampler = unsafe resampler else { return [] }
        let count = samples.count / format.channels
        // Samples go into the resampler. Only whole packets come out.
        let code = unsafe samples.withUnsafeBytes { bytes in
            let input = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe cffmpeg_resample(resampler, nil, 0, input, CInt(count))
        }
        try check(code)
        var packets: [EncodedSample] = []
        while unsafe swr_get_delay(resampler, Int64(format.sampleRate)) >= Self.packetLength + 64 {
            packets += try unsafe encodePacket(resampler, from: start)
        }
        return packets
    }

    private func encodePacket(
        _ resampler: OpaquePointer, from start: Int64
    ) throws(CodecError) -> [EncodedSample] {
        guard let context = unsafe context, let frame = unsafe frame else { return [] }
        defer { unsafe av_frame_unref(frame) }
        unsafe frame.pointee.nb_samples = CInt(Self.packetLength)
        unsafe frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        unsafe frame.pointee.ch_layout = cffmpeg_layout(CInt(format.channels))
        unsafe frame.pointee.sample_rate = CInt(format.sampleRate)
        try check(unsafe av_frame_get_buffer(frame, 0))
        let made = unsafe cffmpeg_resample(
            resampler, frame.pointee.extended_data, CInt(Self.packetLength), nil, 0)
        try check(made)
        unsafe frame.pointee.nb_samples = made
        unsafe frame.pointee.pts = framesIn
        framesIn += Int64(made)
        try check(unsafe avcodec_send_frame(context, frame))
        return try unsafe receive(context, from: start)
    }

    private func receive(
        _ context: UnsafeMutablePointer<AVCodecContext>, from start: Int64
    ) throws(CodecError) -> [EncodedSample] {
        guard let packet = unsafe packet else { return [] }
        var packets: [EncodedSample] = []
        while true {
            let code = unsafe avcodec_receive_packet(context, packet)
            if code == cffmpeg_again || code == cffmpeg_end_of_file { return packets }
            try check(code)
            let bytes = unsafe [UInt8](
                UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            // The first packet precedes the first sample: decoders need it to begin.
            let time = start + format.duration(of: Int(unsafe packet.pointee.pts))
            packets.append(EncodedSample(bytes: bytes, time: time, isKeyFrame: true))
            unsafe av_packet_unref(packet)
        }
    }

    private func check(_ code: CInt) throws(CodecError) {
        if code < 0 {
            throw CodecError(.failed, "\(Self.encoderName): \(FFmpegLibrary.reason(code))")
        }
    }
}
