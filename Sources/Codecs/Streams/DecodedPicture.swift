// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// A decoded picture in the memory of libavcodec or of a decoder device. Any thread may read and
/// release it.
@safe
public final class DecodedPicture: @unchecked Sendable {
    /// libavcodec's picture, or else that of a device.
    private let frame: UnsafeMutablePointer<AVFrame>?
    private let lent: LentFrame?
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
        unsafe (self.frame, lent, pool) = (frame, nil, nil)
        time = unsafe reader.time(frame.pointee.best_effort_timestamp, of: track)
        duration = unsafe track.time(max(cffmpeg_duration(frame), 0))
        description = unsafe FrameDescription(frame.pointee)
    }

    /// Describes a picture in the memory of a decoder device, which gets it back when the picture
    /// is released.
    public init(
        lentFrom pool: FramePool, _ lease: consuming FrameLease, at time: MediaTime,
        lasting duration: MediaTime
    ) {
        (self.time, self.duration, self.pool) = (time, duration, pool)
        description = pool.description
        unsafe frame = nil
        lent = LentFrame(lease)
    }

    deinit {
        var frame = unsafe frame
        if unsafe frame != nil { unsafe av_frame_free(&frame) }
    }

    /// The memory of the device's pictures; `nil` for a picture of libavcodec.
    public let pool: FramePool?

    /// The picture's slot in the ``pool``; `nil` without one.
    public var slot: Int? { lent?.lease.index }

    /// The closed captions that came with the picture: CEA-708 packets of three bytes; `nil` for
    /// none.
    public var closedCaptions: [UInt8]? {
        var count = 0
        guard let frame = unsafe frame, let start = unsafe cffmpeg_captions(frame, &count) else {
            return nil
        }
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The size in pixels.
    public var dimensions: Dimensions {
        if let frame = unsafe frame {
            return unsafe Dimensions(
                width: Int(frame.pointee.width), height: Int(frame.pointee.height))
        }
        return description?.dimensions ?? Dimensions(width: 0, height: 0)
    }

    /// Calls `body` with the pixels, which it must not change; returns `nil` if ``description`` is,
    /// or the memory cannot be read.
    @unsafe
    public func withPixels<Result, Failure: Error>(
        _ body: (PixelAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let lent else {
            guard let description, let frame = unsafe frame, let first = unsafe frame.pointee.data.0
            else { return nil }
            return try unsafe body(
                PixelAccess(description, first, frame.pointee.data.1, frame.pointee.data.2))
        }
        var outcome: Swift.Result<Result, Failure>?
        try? unsafe lent.lease.withPixels { pixels in
            do throws(Failure) {
                outcome = .success(try unsafe body(pixels))
            } catch {
                outcome = .failure(error)
            }
        }
        return try outcome?.get()
    }
}

/// Holds the lease of a picture.
private final class LentFrame: Sendable {
    let lease: FrameLease

    init(_ lease: consuming FrameLease) { self.lease = lease }
}

extension FrameDescription {
    /// Describes the formats of libavcodec that are Vitrine's, too.
    init?(_ frame: AVFrame) {
        let format: PixelFormat
        switch unsafe AVPixelFormat(frame.format) {
        case AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P: format = .yuv420
        case AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUVJ422P: format = .yuv422
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
        self.init(
            pixelFormat: format, dimensions: size, planes: planes,
            bufferSizes: planes.map { $0.bytesPerRow * $0.rows },
            color: unsafe ColorDescription(
                frame.colorspace, frame.color_range, AVPixelFormat(frame.format),
                height: size.height))
    }
}

extension ColorDescription {
    /// Describes colours as libavcodec tells them.
    init(
        _ space: AVColorSpace, _ range: AVColorRange, _ format: AVPixelFormat, height: Int
    ) {
        let isFull =
            range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P
            || format == AV_PIX_FMT_YUVJ422P
        let matrix: Matrix =
            switch space {
            case AVCOL_SPC_BT709: .bt709
            case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: .bt2020
            // A file that says nothing has the usual matrix of its size.
            case AVCOL_SPC_UNSPECIFIED where height >= 720 && !isFull: .bt709
            default: .bt601
            }
        self.init(matrix: matrix, range: isFull ? .full : .limited)
    }
}
