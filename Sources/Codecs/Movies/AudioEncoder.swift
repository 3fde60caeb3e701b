// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Compresses sound to AAC, by libavcodec.
///
/// For one thread at a time. The samples' clock need not be the movie's: with ``correct(by:over:)`` they are made a
/// little more, or fewer, which nobody hears.
@safe
public final class AudioEncoder {
    /// Samples of one channel in a packet.
    public static let packetLength = 1024
    /// As it was given.
    public let format: AudioFormat
    /// What a player needs to know beforehand: AudioSpecificConfig (ISO/IEC 14496-3).
    public let configuration: [UInt8]
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var resampler: OpaquePointer?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    /// Of the first sample that went in, nanoseconds; packets are counted from there.
    private var start: Int64?
    private var framesIn: Int64 = 0

    private static let bitsPerSecondAndChannel: Int64 = 64_000
    private static let encoderName = "aac"

    /// - Throws: `missing` where libavcodec or its encoder is; `unsupported`; `exhausted`.
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

    /// What was given, but for a packet at the most that waits for more, ends here: nanoseconds of
    /// `CLOCK_MONOTONIC`; `nil` before the first samples.
    public var end: Int64? {
        guard let start, let resampler = unsafe resampler else { return nil }
        let waiting = unsafe swr_get_delay(resampler, Int64(format.sampleRate))
        return start + format.duration(of: Int(framesIn + waiting))
    }

    /// Makes so many samples of one channel more (fewer, where negative) of the next `distance`.
    public func correct(by delta: Int, over distance: Int) {
        guard let resampler = unsafe resampler else { return }
        _ = unsafe swr_set_compensation(resampler, CInt(clamping: delta), CInt(clamping: distance))
    }

    /// Compresses samples that follow those before them.
    ///
    /// - Parameters:
    ///   - samples: the channels' in turn.
    ///   - time: of the first one; of the first call only, nanoseconds of `CLOCK_MONOTONIC`.
    /// - Returns: the packets that are ready.
    /// - Throws: `failed`; the encoder is of no use then.
    public func encode(_ samples: [Int16], at time: Int64) throws(CodecError) -> [EncodedSample] {
        let start = start ?? time
        self.start = start
        guard let resampler = unsafe resampler else { return [] }
        let count = samples.count / format.channels
        // Into the resampler; out of it come whole packets only.
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
            // The first is from before the first sample: what a decoder needs to begin.
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
