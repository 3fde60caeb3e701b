// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO
public import Media

/// A compressed picture.
public struct CodedPicture: Sendable {
    /// The picture in its format. For ``PixelFormat/h264`` this is a byte stream with parameter
    /// sets before key frames.
    public var bytes: [UInt8]
    /// Whether the picture is a key frame, at which playback can begin.
    public var isKeyFrame: Bool
}

/// A hardware encoder that reads pictures without copying: a stateful memory-to-memory device that
/// imports DMA-BUFs. One thread at a time may use it. Kernel documentation:
/// userspace-api/media/v4l/dev-encoder.
public final class EncoderDevice {
    /// The encoder's settings.
    public struct Settings: Sendable, Hashable {
        /// The compressed format.
        public var format: PixelFormat
        /// The time from picture to picture, in nanoseconds.
        public var frameInterval: Int64
        /// The average bit rate, in bits per second.
        public var bitRate: Int
        /// The number of buffers that hold input pictures.
        public var frameCount: Int

        /// Creates settings from their parts; nothing is checked.
        public init(
            _ format: PixelFormat, frameInterval: Int64, bitRate: Int, frameCount: Int
        ) {
            self.format = format
            self.frameInterval = frameInterval
            self.bitRate = bitRate
            self.frameCount = frameCount
        }
    }

    /// The device's description.
    public let description: CodecDescription
    /// The queues for input pictures (V4L2's OUTPUT) and for compressed pictures (its CAPTURE).
    private let source: VideoDevice
    private let sink: VideoDevice
    private let poller: Poller
    private let sourceBuffers: Int
    private let sinkBuffers: [[FrameBuffer]]
    private let forcesKeyFrames: Bool
    private var hasEncoded = false

    /// The longest time that encoding a picture may take, in milliseconds.
    private static let patience: Int32 = 1000
    private static let codedBuffers = 4

    /// Opens the device for input pictures of this layout and starts streaming. Throws `EINVAL` if
    /// the device does not take such pictures or does not encode to the format; `EBUSY`.
    public init(
        _ description: CodecDescription, for picture: FrameDescription, _ settings: Settings
    ) throws(SystemCallError) {
        self.description = description
        (source, sink) = try description.open()
        // The compressed format comes first: it decides which input formats are possible
        // (dev-encoder, "Initialization").
        let pixels = picture.dimensions.width * picture.dimensions.height
        _ = try sink.setPicture(
            settings.format, picture.dimensions, bytes: max(pixels * 3 / 4, 1 << 20))
        try source.setInput(picture)
        guard try sink.picture().pixelformat == settings.format.fourCC else {
            throw SystemCallError(call: "VIDIOC_S_FMT", code: EINVAL, path: description.path)
        }
        _ = try source.setFrameInterval(
            FrameInterval(
                numerator: UInt32(clamping: settings.frameInterval / 1000), denominator: 1_000_000))
        sink.prepareEncoder(settings, picture.dimensions)
        forcesKeyFrames = (try? sink.control(VideoControl.Identifier.forceKeyFrame)) != nil
        sourceBuffers = try source.requestBuffers(settings.frameCount, .dmaBuf)
        var mapped: [[FrameBuffer]] = []
        for index in 0..<(try sink.requestBuffers(Self.codedBuffers, .mmap)) {
            mapped.append(try sink.mapBuffer(index))
        }
        sinkBuffers = mapped
        poller = try Poller()
        try poller.add(sink.number, tag: 0, for: [.readable, .writable])
        try start()
    }

    private func start() throws(SystemCallError) {
        for index in sinkBuffers.indices { try sink.queue(index, sinkBuffers[index]) }
        try source.streamOn()
        try sink.streamOn()
    }

    /// Compresses a picture, whose DMA-BUFs the device uses until this returns. A set of `buffers`
    /// that keeps its number `index` is imported only once. The `time`, in nanoseconds, must be
    /// later than that of the last picture. If `isKeyFrame`, the picture becomes a key frame; the
    /// device may make others too. Returns `nil` if the device could not compress the picture;
    /// later pictures then need a key frame. Throws `EINVAL` if the memory cannot be imported,
    /// `ETIMEDOUT`, `ENODEV`. The device is unusable then.
    public func encode(
        _ index: Int, _ buffers: [FrameBuffer], at time: Int64, asKeyFrame isKeyFrame: Bool
    ) throws(SystemCallError) -> CodedPicture? {
        guard buffers.allSatisfy({ $0.dmaBuf != nil }) else {
            throw SystemCallError(call: "VIDIOC_QBUF", code: EINVAL, path: description.path)
        }
        if isKeyFrame, hasEncoded { try beginWithKeyFrame() }
        hasEncoded = true
        // A picture split over buffers is not supported: its rest must not become part of the next.
        while let rest = try sink.dequeueBuffer() { try giveBack(rest) }
        try source.queue(index % sourceBuffers, buffers, time: time)
        var coded: CodedPicture? = CodedPicture(bytes: [], isKeyFrame: false)
        var (isDone, isGivenBack) = (false, false)
        let deadline = Clock.monotonic + Int64(Self.patience) * 1_000_000
        while true {
            // Parameter sets may precede the picture in a buffer of their own.
            while !isDone, let buffer = try sink.dequeueBuffer() {
                if buffer.flags & cv4l2_flag_error != 0 { coded = nil }
                coded?.add(buffer, of: sinkBuffers[Int(buffer.index)][0])
                try giveBack(buffer)
                isDone = buffer.timestamp_ns / 1000 == time / 1000
            }
            if !isGivenBack { isGivenBack = try source.dequeueBuffer() != nil }
            if isDone, isGivenBack {
                return coded.flatMap { $0.bytes.isEmpty ? nil : $0 }
            }
            let left = (deadline - Clock.monotonic) / 1_000_000
            guard left > 0, let event = poller.wait(milliseconds: Int32(left)) else {
                throw SystemCallError(call: "VIDIOC_DQBUF", code: ETIMEDOUT, path: description.path)
            }
            if event.readiness.contains(.error) || event.readiness.contains(.hangup) {
                throw SystemCallError(call: "VIDIOC_DQBUF", code: ENODEV, path: description.path)
            }
        }
    }

    private func giveBack(_ buffer: cv4l2_buffer) throws(SystemCallError) {
        try sink.queue(Int(buffer.index), sinkBuffers[Int(buffer.index)])
    }

    private func beginWithKeyFrame() throws(SystemCallError) {
        if forcesKeyFrames {
            return try sink.setControl(VideoControl.Identifier.forceKeyFrame, to: 1)
        }
        // Every encoder begins with a key frame after a restart.
        try source.streamOff()
        try sink.streamOff()
        try start()
    }
}

extension CodedPicture {
    fileprivate mutating func add(_ buffer: cv4l2_buffer, of memory: FrameBuffer) {
        let count = min(Int(buffer.bytesused.0), memory.size)
        let more = try? unsafe memory.withBytes(.read) { start in
            unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
        }
        bytes += more ?? []
        isKeyFrame =
            isKeyFrame || buffer.flags & cv4l2_flag_key_frame != 0 || bytes.isFWHTKeyFrame
    }
}

extension VideoDevice {
    /// Sets the layout of the pictures that the device reads. Corresponds to `VIDIOC_S_FMT`.
    fileprivate func setInput(_ description: FrameDescription) throws(SystemCallError) {
        var picture = cv4l2_picture()
        picture.width = UInt32(description.dimensions.width)
        picture.height = UInt32(description.dimensions.height)
        picture.pixelformat = description.pixelFormat.fourCC
        picture.planes = UInt32(description.bufferSizes.count)
        let rows = (0..<3).map { buffer in
            UInt32(description.planes.first { $0.buffer == buffer }?.bytesPerRow ?? 0)
        }
        picture.bytesperline = (rows[0], rows[1], rows[2])
        let sizes = description.bufferSizes.map { UInt32($0) } + [0, 0]
        picture.sizeimage = (sizes[0], sizes[1], sizes[2])
        (picture.colorspace, picture.ycbcr_enc) = description.color.matrix.codes
        picture.quantization =
            description.color.range == .full
            ? V4L2_QUANTIZATION_FULL_RANGE.rawValue : V4L2_QUANTIZATION_LIM_RANGE.rawValue
        try request("VIDIOC_S_FMT") { unsafe cv4l2_s_fmt($0, bufferType, &picture) }
        memoryPlanes = max(picture.planes, 1)
        let taken = FrameDescription(picture)
        guard let taken, taken.pixelFormat == description.pixelFormat,
            taken.dimensions == description.dimensions, taken.planes == description.planes,
            zip(taken.bufferSizes, description.bufferSizes).allSatisfy({ $0 <= $1 })
        else { throw SystemCallError(call: "VIDIOC_S_FMT", code: EINVAL, path: path) }
    }

    fileprivate func prepareEncoder(_ settings: EncoderDevice.Settings, _ size: Dimensions) {
        typealias Identifier = VideoControl.Identifier
        let interval = max(settings.frameInterval, 1_000_000)
        let second = max(1_000_000_000 / interval, 1)
        for (identifier, value) in [
            (Identifier.videoBitRate, Int64(settings.bitRate)), (Identifier.groupSize, second),
            (Identifier.h264Period, second), (Identifier.bFrames, 0),
            (Identifier.headerMode, cv4l2_header_joined), (Identifier.repeatsHeader, 1),
            (Identifier.h264Profile, cv4l2_h264_profile_high),
            (Identifier.h264Level, Self.level(size, interval)), (Identifier.controlsRate, 1),
            (Identifier.leastQuantizer, 10),
        ] {
            guard let control = try? control(identifier) else { continue }
            try? setControl(identifier, to: min(max(value, control.minimum), control.maximum))
        }
    }
}

extension VideoDevice {
    /// Returns the lowest of the levels 4.0, 4.2, 5.1 and 5.2 that allows the macroblocks per
    /// picture and per second (ITU-T H.264, table A-1).
    private static func level(_ size: Dimensions, _ interval: Int64) -> Int64 {
        let blocks = Int64((size.width + 15) / 16 * ((size.height + 15) / 16))
        let rate = blocks * 1_000_000_000 / interval
        if blocks <= 8192, rate <= 245_760 { return cv4l2_h264_level_4_0 }
        if blocks <= 8704, rate <= 522_240 { return cv4l2_h264_level_4_2 }
        if blocks <= 36_864, rate <= 983_040 { return cv4l2_h264_level_5_1 }
        return cv4l2_h264_level_5_2
    }
}

extension [UInt8] {
    /// Whether these bytes are an FWHT key frame. vicodec does not flag key frames, but their
    /// header shows them (drivers/media/test-drivers/vicodec/codec-fwht.h).
    fileprivate var isFWHTKeyFrame: Bool {
        let magic: [UInt8] = [0x4f, 0x4f, 0x4f, 0x4f, 0xff, 0xff, 0xff, 0xff]
        guard starts(with: magic), count >= 24 else { return false }
        let flags = self[20..<24].reduce(0) { $0 << 8 | UInt32($1) }
        return flags & cv4l2_fwht_key_frame != 0
    }
}

extension ColorDescription.Matrix {
    /// The values for `colorspace` and `ycbcr_enc`.
    fileprivate var codes: (UInt32, UInt32) {
        switch self {
        case .bt601: (V4L2_COLORSPACE_SMPTE170M.rawValue, V4L2_YCBCR_ENC_601.rawValue)
        case .bt709: (V4L2_COLORSPACE_REC709.rawValue, V4L2_YCBCR_ENC_709.rawValue)
        case .bt2020: (V4L2_COLORSPACE_BT2020.rawValue, V4L2_YCBCR_ENC_BT2020.rawValue)
        }
    }
}

extension VideoControl.Identifier {
    fileprivate static let videoBitRate = cv4l2_video_bitrate
    fileprivate static let groupSize = cv4l2_video_gop_size
    fileprivate static let h264Period = cv4l2_h264_i_period
    fileprivate static let bFrames = cv4l2_video_b_frames
    fileprivate static let headerMode = cv4l2_video_header_mode
    fileprivate static let repeatsHeader = cv4l2_video_repeat_seq_header
    fileprivate static let h264Profile = cv4l2_h264_profile
    fileprivate static let h264Level = cv4l2_h264_level
    fileprivate static let controlsRate = cv4l2_video_frame_rc
    fileprivate static let leastQuantizer = cv4l2_h264_min_qp
    fileprivate static let forceKeyFrame = cv4l2_video_force_key_frame
}
