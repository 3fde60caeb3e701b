// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Decodes subtitles with libavcodec. Not thread-safe.
@safe
public final class SubtitleDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    /// The styles and fonts.
    public let script: SubtitleScript

    /// Opens the decoder of a track.
    /// - Throws: `missing` if there is none; `exhausted`; `unsupported`.
    public convenience init(_ track: MediaTrack, of reader: MediaReader) throws(CodecError) {
        let context = try unsafe DecoderContext.open(track, of: reader, threads: 1)
        unsafe self.init(context, track.codec, reader.fonts)
    }

    /// Opens the decoder of closed captions (CEA-608), which come with pictures.
    /// - Throws: `missing` if there is none; `exhausted`; `unsupported`.
    public convenience init(closedCaptions: Void) throws(CodecError) {
        let context = try unsafe DecoderContext.openClosedCaptions()
        unsafe self.init(context, Self.closedCaptionCodec, [])
    }

    static let closedCaptionCodec = "eia_608"

    private init(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ codec: String,
        _ fonts: [(name: String, bytes: [UInt8])]
    ) {
        unsafe self.context = context
        let size = unsafe Int(context.pointee.subtitle_header_size)
        let head = unsafe context.pointee.subtitle_header.map { start in
            unsafe String(decoding: UnsafeBufferPointer(start: start, count: size), as: UTF8.self)
        }
        if let head, Self.styled.contains(codec) {
            script = SubtitleScript(head: head, isPlain: false, fonts: fonts)
        } else {
            script = .plain
        }
    }

    /// The codecs whose texts have styles or places.
    private static let styled: Set = ["ass", "ssa", closedCaptionCodec]

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// Forgets what came before, because reading goes on elsewhere.
    public func flush() { unsafe avcodec_flush_buffers(context) }

    /// Returns the event of a packet; `nil` if it has none. Damaged packets have none.
    public func decode(_ packet: MediaPacket) -> SubtitleEvent? {
        unsafe decode(packet.packet, at: packet.time)
    }

    /// Returns what the closed captions of a picture change; `nil` if that is nothing.
    /// - Parameter captions: See ``DecodedPicture/closedCaptions``.
    public func decode(closedCaptions captions: [UInt8], at time: MediaTime) -> SubtitleEvent? {
        var packet = unsafe av_packet_alloc()
        defer { unsafe av_packet_free(&packet) }
        guard let packet = unsafe packet, unsafe av_new_packet(packet, CInt(captions.count)) >= 0
        else { return nil }
        unsafe captions.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe packet.pointee.data.update(
                from: start.assumingMemoryBound(to: UInt8.self), count: captions.count)
        }
        let milliseconds = time.converted(toTimescale: 1000).value
        unsafe packet.pointee.pts = milliseconds
        unsafe packet.pointee.dts = milliseconds
        return unsafe decode(packet, at: time)
    }

    private func decode(_ packet: UnsafeMutablePointer<AVPacket>, at time: MediaTime)
        -> SubtitleEvent?
    {
        var subtitle = unsafe AVSubtitle()
        var hasResult: CInt = 0
        let code = unsafe cffmpeg_decode_subtitle(context, &subtitle, &hasResult, packet)
        guard code >= 0, hasResult != 0 else { return nil }
        defer { unsafe avsubtitle_free(&subtitle) }
        // Milliseconds from the packet's time.
        let (first, last) = unsafe (subtitle.start_display_time, subtitle.end_display_time)
        let start = time + MediaTime(value: Int64(first), timescale: 1000)
        let isOpen = [0, UInt32.max].contains(last)
        let end = time + MediaTime(value: Int64(last), timescale: 1000)
        let content = unsafe content(subtitle)
        guard start.isNumeric, isOpen || end > start else { return nil }
        return SubtitleEvent(start: start, end: isOpen ? .positiveInfinity : end, content)
    }

    private func content(_ subtitle: AVSubtitle) -> SubtitleEvent.Content {
        var lines: [String] = []
        var pictures: [SubtitleBitmap] = []
        for number in unsafe 0..<Int(subtitle.num_rects) {
            guard let part = unsafe subtitle.rects[number] else { continue }
            if let line = unsafe part.pointee.ass {
                unsafe lines.append(String(cString: line))
            } else if let picture = unsafe SubtitleBitmap(part.pointee) {
                pictures.append(picture)
            }
        }
        if unsafe subtitle.format != 0 { return .lines(lines) }
        let screen = unsafe Dimensions(
            width: Int(context.pointee.width), height: Int(context.pointee.height))
        return .pictures(pictures, screen)
    }
}

extension SubtitleBitmap {
    /// Takes over a picture with a palette; `nil` for anything else.
    fileprivate init?(_ part: AVSubtitleRect) {
        guard unsafe part.type == SUBTITLE_BITMAP, unsafe part.w > 0, unsafe part.h > 0,
            let rows = unsafe part.data.0,
            let palette = unsafe part.data.1
        else { return nil }
        let colors = unsafe UnsafeRawPointer(palette).assumingMemoryBound(to: UInt32.self)
        let premultiplied = unsafe (0..<256).map { number in
            unsafe number < Int(part.nb_colors) ? Self.premultiplied(colors[number]) : 0
        }
        place = unsafe PixelRect(
            x: Int(part.x), y: Int(part.y), width: Int(part.w), height: Int(part.h))
        var pixels: [UInt32] = []
        pixels.reserveCapacity(place.width * place.height)
        for row in 0..<place.height {
            let line = unsafe rows + row * Int(part.linesize.0)
            for column in 0..<place.width {
                unsafe pixels.append(premultiplied[Int(line[column])])
            }
        }
        self.pixels = pixels
    }

    private static func premultiplied(_ color: UInt32) -> UInt32 {
        let alpha = color >> 24
        return [16, 8, 0].reduce(alpha << 24) { result, shift in
            result | ((((color >> shift) & 255) * alpha + 127) / 255) << shift
        }
    }
}
