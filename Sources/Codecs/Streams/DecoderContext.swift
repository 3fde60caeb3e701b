// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg

/// libavcodec's decoders.
enum DecoderContext {
    /// Opens the decoder of a track. The caller frees it.
    /// - Throws: `missing` if there is none; `exhausted`; `unsupported`.
    static func open(
        _ track: MediaTrack, of reader: MediaReader, threads: CInt
    ) throws(CodecError) -> UnsafeMutablePointer<AVCodecContext> {
        let opened: (UnsafeMutablePointer<AVCodecContext>?, CInt)? = unsafe reader.withParameters(
            of: track
        ) { parameters in
            unsafe open(parameters, of: track, threads)
        }
        let (context, code) = unsafe opened ?? (nil, 0)
        guard let context = unsafe context else {
            if code == 0 {
                throw CodecError(.missing, "libavcodec has no decoder for \(track.codec)")
            }
            throw CodecError(.unsupported, "\(track.codec): \(FFmpegLibrary.reason(code))")
        }
        return unsafe context
    }

    /// Opens the decoder of closed captions, whose packets have times in milliseconds. The caller
    /// frees it.
    /// - Throws: `missing` if there is none; `exhausted`; `unsupported`.
    static func openClosedCaptions() throws(CodecError) -> UnsafeMutablePointer<AVCodecContext> {
        guard let codec = unsafe avcodec_find_decoder(AV_CODEC_ID_EIA_608) else {
            throw CodecError(.missing, "libavcodec has no decoder for closed captions")
        }
        guard var context = unsafe avcodec_alloc_context3(codec) else {
            throw CodecError(.exhausted, "no memory for closed captions")
        }
        unsafe context.pointee.pkt_timebase = AVRational(num: 1, den: 1000)
        // Each change is told when it comes, and not once it is over.
        unsafe av_opt_set_int(context, "real_time", 1, AV_OPT_SEARCH_CHILDREN)
        let code = unsafe avcodec_open2(context, codec, nil)
        if code >= 0 { return unsafe context }
        var opened: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&opened)
        throw CodecError(.unsupported, "closed captions: \(FFmpegLibrary.reason(code))")
    }

    /// Returns a context, or `nil` and libavcodec's error; 0 if there is no decoder.
    private static func open(
        _ parameters: UnsafePointer<AVCodecParameters>, of track: MediaTrack, _ threads: CInt
    ) -> (UnsafeMutablePointer<AVCodecContext>?, CInt) {
        guard let codec = unsafe avcodec_find_decoder(parameters.pointee.codec_id) else {
            return unsafe (nil, 0)
        }
        var context = unsafe avcodec_alloc_context3(codec)
        var code = unsafe avcodec_parameters_to_context(context, parameters)
        if code >= 0 {
            unsafe context?.pointee.thread_count = threads
            // Without it, times do not count the padding that is removed.
            unsafe context?.pointee.pkt_timebase = AVRational(
                num: track.unit.numerator, den: track.unit.denominator)
            unsafe context?.pointee.max_pixels = Int64(PictureDecoder.mostPixels)
            code = unsafe avcodec_open2(context, codec, nil)
        }
        if code < 0 { unsafe avcodec_free_context(&context) }
        return unsafe (context, code)
    }
}
