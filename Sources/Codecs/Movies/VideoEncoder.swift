// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Encodes pictures to H.264 with libavcodec, which is loaded for the first encoder. Not
/// thread-safe. Samples come out in the order of the pictures, and none waits for later pictures. A
/// cut recording loses at most a second: key frames come at least that often.
@safe
public final class VideoEncoder {
    /// An encoder of libavcodec, by its name there.
    public enum Implementation: String, Sendable {
        /// x264, on the CPU.
        case x264 = "libx264"
        /// Hardware behind V4L2, to which pictures are copied.
        case v4l2m2m = "h264_v4l2m2m"
    }

    /// The pictures' format and the encoding parameters.
    public struct Settings: Sendable, Hashable {
        /// The pictures' format: ``PixelFormat/nv12``, or ``PixelFormat/yuv420``, which also
        /// accepts ``PixelFormat/yvu420``.
        public var pixelFormat: PixelFormat
        /// The size in pixels; both sides are even.
        public var dimensions: Dimensions
        /// The colour description of the samples.
        public var color: ColorDescription
        /// Frames per second, as far as known in advance.
        public var frameRate: Double
        /// The encoder to use.
        public var implementation = Implementation.x264
        /// Whether libavfilter first removes camera shake.
        public var isStabilized = false
        /// x264's constant rate factor, 0 (lossless) to 51.
        public var quality = 23
        /// The highest bit rate over a second, in bits per second.
        public var largestBitRate: Int
        /// x264's preset: the time spent per picture.
        public var preset = "superfast"

        /// Creates the default settings for pictures of this kind.
        public init(
            _ pixelFormat: PixelFormat, _ dimensions: Dimensions, color: ColorDescription,
            frameRate: Double
        ) {
            self.pixelFormat = pixelFormat
            self.dimensions = dimensions
            self.color = color
            self.frameRate = frameRate
            let pixelRate = Double(dimensions.width * dimensions.height) * max(frameRate, 1)
            largestBitRate = max(Int(pixelRate * 0.3), 1_000_000)
        }
    }

    /// The parameter sets for players. Hardware provides them with its first picture, x264 at once.
    public private(set) var parameterSets: AVCParameterSets?
    /// The settings that the encoder was created with.
    public let settings: Settings
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private let stabilizer: VideoStabilizer?
    private var steady: UnsafeMutablePointer<AVFrame>?
    private var rhythm = KeyFrameRhythm()

    private var encoderName: String { settings.implementation.rawValue }

    /// Loads libavcodec and opens the encoder. Throws `missing` if a library or the encoder is not
    /// installed; `unsupported` for the settings; `failed`; `exhausted`.
    public init(_ settings: Settings) throws(CodecError) {
        self.settings = settings
        try FFmpegLibrary.load()
        stabilizer =
            settings.isStabilized
            ? try VideoStabilizer(settings.inputFormat, settings.dimensions) : nil
        let codec = try unsafe Self.codec(settings.implementation)
        guard let context = unsafe avcodec_alloc_context3(codec) else {
            throw CodecError(.exhausted, "no memory for a video encoder")
        }
        unsafe Self.configure(context, settings)
        do throws(CodecError) {
            try unsafe Self.open(context, codec, settings)
            parameterSets = unsafe AVCParameterSets(byteStream: Self.extraData(context))
            if parameterSets == nil, settings.implementation == .x264 {
                throw CodecError(.failed, "libx264 provides no parameter sets")
            }
        } catch {
            var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
            unsafe avcodec_free_context(&context)
            throw error
        }
        unsafe (self.context, frame, packet) = (context, av_frame_alloc(), av_packet_alloc())
        if stabilizer != nil { unsafe steady = av_frame_alloc() }
    }

    deinit {
        unsafe av_packet_free(&packet)
        unsafe av_frame_free(&frame)
        unsafe av_frame_free(&steady)
        unsafe avcodec_free_context(&context)
    }

    /// Loads libavcodec in advance. Otherwise the first encoder loads it. Throws `missing` if
    /// libavcodec or its encoder is not installed.
    public static func load() throws(CodecError) {
        try FFmpegLibrary.load()
        _ = try unsafe codec(.x264)
    }

    /// Loads the libraries for ``Settings/isStabilized``; throws `missing` if one is not installed.
    public static func loadStabilizer() throws(CodecError) { try FFmpegLibrary.loadFilters() }

    private static func codec(
        _ implementation: Implementation
    ) throws(CodecError) -> UnsafePointer<AVCodec> {
        guard let codec = unsafe avcodec_find_encoder_by_name(implementation.rawValue) else {
            throw CodecError(.missing, "libavcodec has no encoder \(implementation.rawValue)")
        }
        return unsafe codec
    }

    private static func configure(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ settings: Settings
    ) {
        unsafe context.pointee.width = CInt(settings.dimensions.width)
        unsafe context.pointee.height = CInt(settings.dimensions.height)
        unsafe context.pointee.pix_fmt =
            settings.isStabilized ? VideoStabilizer.output : settings.inputFormat
        // Microseconds, because cameras are less regular than they announce.
        unsafe context.pointee.time_base = AVRational(num: 1, den: 1_000_000)
        let frameRate = min(max(settings.frameRate, 1), 1000)
        unsafe context.pointee.framerate = AVRational(
            num: CInt((frameRate * 1000).rounded()), den: 1000)
        unsafe context.pointee.gop_size = CInt(frameRate * 10)
        unsafe context.pointee.max_b_frames = 0
        unsafe context.pointee.flags |= cffmpeg_global_header
        unsafe context.pointee.bit_rate =
            settings.implementation == .x264 ? 0 : Int64(settings.averageBitRate)
        unsafe context.pointee.rc_max_rate = Int64(settings.largestBitRate)
        unsafe context.pointee.rc_buffer_size = CInt(clamping: settings.largestBitRate)
        unsafe context.pointee.color_range =
            settings.color.range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        let codes = settings.color.codes.map { UInt32($0) }
        unsafe context.pointee.color_primaries = AVColorPrimaries(codes[0])
        unsafe context.pointee.color_trc = AVColorTransferCharacteristic(codes[1])
        unsafe context.pointee.colorspace = AVColorSpace(codes[2])
    }

    private static func open(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ codec: UnsafePointer<AVCodec>,
        _ settings: Settings
    ) throws(CodecError) {
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        let x264 = [
            ("preset", settings.preset), ("tune", "zerolatency"), ("crf", "\(settings.quality)"),
            ("forced-idr", "1"), ("x264-params", "scenecut=0"),
        ]
        for (key, value) in settings.implementation == .x264 ? x264 : [] {
            unsafe av_dict_set(&options, key, value, 0)
        }
        let code = unsafe avcodec_open2(context, codec, &options)
        guard code >= 0 else {
            throw CodecError(
                .unsupported,
                "\(settings.implementation.rawValue) at \(settings.dimensions) "
                    + "\(settings.pixelFormat): " + FFmpegLibrary.reason(code))
        }
    }

    private static func extraData(_ context: UnsafeMutablePointer<AVCodecContext>) -> [UInt8] {
        unsafe [UInt8](
            UnsafeBufferPointer(
                start: context.pointee.extradata, count: Int(context.pointee.extradata_size)))
    }

    /// Encodes a picture as in the settings; its rows may be longer, and there may be more. The
    /// pixels are not needed after this returns. `time` is in nanoseconds of `CLOCK_MONOTONIC`,
    /// later than the previous, and kept to the microsecond. Returns the samples that are ready,
    /// usually that of this picture. Throws `failed`; the encoder is unusable then.
    @unsafe
    public func encode(
        _ pixels: PixelAccess, at time: Int64
    ) throws(CodecError) -> [EncodedSample] {
        guard let context = unsafe context, let frame = unsafe frame else {
            throw CodecError(.exhausted, "no memory for a picture")
        }
        defer { unsafe av_frame_unref(frame) }
        unsafe fill(frame, with: pixels)
        unsafe frame.pointee.pts = time / 1000
        guard let stabilizer, let steady = unsafe steady else {
            return try unsafe compress(frame, in: context, at: time)
        }
        defer { unsafe av_frame_unref(steady) }
        try unsafe stabilizer.stabilize(frame, into: steady)
        return try unsafe compress(steady, in: context, at: time)
    }

    private func compress(
        _ frame: UnsafeMutablePointer<AVFrame>, in context: UnsafeMutablePointer<AVCodecContext>,
        at time: Int64
    ) throws(CodecError) -> [EncodedSample] {
        let isKeyFrame = rhythm.isDue(at: time)
        unsafe frame.pointee.pict_type = isKeyFrame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        try check(unsafe avcodec_send_frame(context, frame))
        return try receive()
    }

    /// Makes the next picture a key frame.
    public func forceKeyFrame() { rhythm.reset() }

    /// Returns the samples left in the encoder. Nothing can be encoded afterwards.
    public func finish() throws(CodecError) -> [EncodedSample] {
        guard let context = unsafe context else { return [] }
        try check(unsafe avcodec_send_frame(context, nil))
        return try receive()
    }

    private func fill(_ frame: UnsafeMutablePointer<AVFrame>, with pixels: PixelAccess) {
        let size = settings.dimensions
        unsafe frame.pointee.width = CInt(size.width)
        unsafe frame.pointee.height = CInt(size.height)
        unsafe frame.pointee.format = settings.inputFormat.rawValue
        unsafe frame.pointee.data.0 = pixels.plane(0)
        unsafe frame.pointee.linesize.0 = CInt(pixels.bytesPerRow(0))
        let (u, v) = unsafe pixels.description.pixelFormat == .yvu420 ? (2, 1) : (1, 2)
        unsafe frame.pointee.data.1 = pixels.plane(u)
        unsafe frame.pointee.linesize.1 = CInt(pixels.bytesPerRow(u))
        if settings.pixelFormat != .nv12 {
            unsafe frame.pointee.data.2 = pixels.plane(v)
            unsafe frame.pointee.linesize.2 = CInt(pixels.bytesPerRow(v))
        }
        // This buffer reference, which frees nothing, saves a copy.
        unsafe frame.pointee.buf.0 = cffmpeg_borrow(
            pixels.plane(0), pixels.bytesPerRow(0) * size.height)
    }

    private func receive() throws(CodecError) -> [EncodedSample] {
        guard let context = unsafe context, let packet = unsafe packet else { return [] }
        var samples: [EncodedSample] = []
        while true {
            let code = unsafe avcodec_receive_packet(context, packet)
            if code == cffmpeg_again || code == cffmpeg_end_of_file { return samples }
            try check(code)
            let stream = unsafe [UInt8](
                UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            parameterSets = parameterSets ?? AVCParameterSets(byteStream: stream)
            let (bytes, isKeyFrame) = AVCParameterSets.sample(byteStream: stream)
            // Hardware may send its parameter sets alone.
            if bytes.isEmpty { continue }
            samples.append(
                EncodedSample(
                    bytes: bytes, time: unsafe packet.pointee.pts * 1000, isKeyFrame: isKeyFrame))
            unsafe av_packet_unref(packet)
        }
    }

    private func check(_ code: CInt) throws(CodecError) {
        if code < 0 {
            throw CodecError(.failed, "\(encoderName): \(FFmpegLibrary.reason(code))")
        }
    }
}

extension VideoEncoder.Settings {
    /// The bit rate in bits per second for encoders that take no quality: 0.1 bit per pixel at the
    /// default, twice as much for every six steps below, and at most what H.264's level 4.0 allows.
    public var averageBitRate: Int {
        let steps = max(-12, min(12, 23 - quality))
        var share = 0.1
        for _ in 0..<abs(steps) { share *= steps > 0 ? 1.122 : 1 / 1.122 }
        let pixelRate = Double(dimensions.width * dimensions.height) * max(frameRate, 1)
        return min(max(Int(pixelRate * share), 500_000), 20_000_000)
    }

    fileprivate var inputFormat: AVPixelFormat {
        pixelFormat == .nv12 ? AV_PIX_FMT_NV12 : AV_PIX_FMT_YUV420P
    }
}
