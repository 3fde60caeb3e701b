// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Media

/// Decodes the sound of a track with libavcodec, and converts it with libswresample. The padding
/// that encoders add at both ends is removed. Not thread-safe.
@safe
final class SoundDecoder {
    /// The rate and the channels of the samples that come out.
    let format: AudioFormat
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var converter: OpaquePointer?
    /// The sound that the converter takes: libavutil's format, rate and channels.
    private var input: (format: CInt, rate: CInt, channels: CInt) = (-1, 0, 0)
    private let reader: MediaReader
    private let track: MediaTrack
    /// The time of the next sample that comes out.
    private var next = MediaTime.invalid
    private var isAtEnd = false
    /// The time at which the padding at the end begins; `nil` if libavcodec removes it.
    private let end: MediaTime?

    /// - Throws: `missing` if there is no decoder; `exhausted`; `unsupported`.
    init(
        _ track: MediaTrack, of reader: MediaReader, as format: AudioFormat
    ) throws(CodecError) {
        (self.track, self.reader, self.format) = (track, reader, format)
        unsafe context = try DecoderContext.open(track, of: reader, threads: 1)
        unsafe frame = av_frame_alloc()
        end = reader.end(of: track)
    }

    deinit {
        unsafe swr_free(&converter)
        unsafe av_frame_free(&frame)
        unsafe avcodec_free_context(&context)
    }

    /// Forgets everything that was sent, before a jump.
    func reset() {
        unsafe avcodec_flush_buffers(context)
        unsafe swr_free(&converter)
        (next, isAtEnd) = (.invalid, false)
    }

    /// Takes a packet; `nil` at the end, after which the last samples come. Returns `false` if
    /// samples have to be received first. Damaged data makes no samples.
    func send(_ packet: MediaPacket?) -> Bool {
        isAtEnd = packet == nil
        return unsafe avcodec_send_packet(context, packet?.packet) != cffmpeg_again
    }

    /// Returns the next samples; `nil` if there are none yet, or none any more.
    func receive() -> DecodedSound? {
        guard let frame = unsafe frame else { return nil }
        while unsafe avcodec_receive_frame(context, frame) == 0 {
            defer { unsafe av_frame_unref(frame) }
            if let chunk = unsafe convert(frame) { return chunk }
        }
        return isAtEnd ? rest() : nil
    }

    private func convert(_ frame: UnsafeMutablePointer<AVFrame>) -> DecodedSound? {
        let heard = unsafe reader.time(frame.pointee.best_effort_timestamp, of: track)
        let new = unsafe (
            frame.pointee.format, frame.pointee.sample_rate, frame.pointee.ch_layout.nb_channels
        )
        if unsafe converter == nil || new != input {
            unsafe swr_free(&converter)
            unsafe converter = cffmpeg_sound_converter(
                frame, CInt(format.channels), CInt(format.sampleRate))
            input = new
        }
        guard let converter = unsafe converter, new.1 > 0 else { return nil }
        // Samples that the converter still has precede those of the frame.
        let waiting = unsafe swr_get_delay(converter, Int64(format.sampleRate))
        if heard.isNumeric {
            next = heard - MediaTime(value: waiting, timescale: Int32(format.sampleRate))
        }
        let count = unsafe Int(frame.pointee.nb_samples)
        let room = count * format.sampleRate / Int(new.1) + Int(waiting) + 32
        return unsafe chunk(room) { out, room in
            unsafe cffmpeg_convert_sound(converter, out, room, frame)
        }
    }

    /// Returns the samples that the converter has kept.
    private func rest() -> DecodedSound? {
        guard let converter = unsafe converter else { return nil }
        let waiting = unsafe swr_get_delay(converter, Int64(format.sampleRate))
        return unsafe chunk(Int(waiting) + 32) { out, room in
            unsafe cffmpeg_convert_sound(converter, out, room, nil)
        }
    }

    private func chunk(
        _ room: Int, _ body: (UnsafeMutablePointer<Int16>?, CInt) -> CInt
    ) -> DecodedSound? {
        var count = 0
        let samples = unsafe [Int16](unsafeUninitializedCapacity: room * format.channels) {
            buffer, filled in
            count = max(Int(unsafe body(buffer.baseAddress, CInt(clamping: room))), 0)
            filled = count * format.channels
        }
        guard count > 0 else { return nil }
        let start = next
        next = start + MediaTime(value: Int64(count), timescale: Int32(format.sampleRate))
        guard let end, start.isNumeric, next > end else {
            return DecodedSound(time: start, samples: samples)
        }
        let kept = (end - start).converted(toTimescale: Int32(format.sampleRate)).value
        if kept <= 0 { return nil }
        return DecodedSound(
            time: start, samples: Array(samples.prefix(Int(kept) * format.channels)))
    }
}
