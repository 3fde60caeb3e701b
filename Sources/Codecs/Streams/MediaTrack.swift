// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// One sequence of samples in a media file: pictures, sound or texts.
public struct MediaTrack: Sendable {
    /// The kinds of samples.
    public enum Kind: String, Sendable {
        case video, audio, subtitle
    }

    /// The track's number in the file, from 0.
    public let index: Int
    /// The kind of samples.
    public let kind: Kind
    /// libavcodec's name of the codec, such as `h264`.
    public let codec: String
    /// The language as the file says it, such as `eng`; `nil` if it says none.
    public let language: String?
    /// The name that the file gives the track; `nil` if none.
    public let title: String?
    /// Whether the file prefers the track.
    public let isDefault: Bool
    /// Whether a subtitle is meant for everybody: it translates what is said in another language.
    public let isForced: Bool
    /// The size of the decoded pictures, before ``orientation``; zero for other kinds.
    public let dimensions: Dimensions
    /// The turn and mirroring that make the pictures upright.
    public let orientation: ExifOrientation
    /// The width of a pixel, relative to its height.
    public let pixelAspectRatio: Double
    /// The colours of the pictures, as far as the file says.
    public let color: ColorDescription
    /// V4L2's format of the compressed pictures, if devices for it can be expected to decode them:
    /// those of eight bits, 4:2:0, progressive; otherwise `nil`.
    public let codedFormat: PixelFormat?
    /// The usual number of pictures per second; `nil` if it is not known.
    public let framesPerSecond: Double?
    /// The samples per second of one channel; 0 for other kinds than sound.
    public let sampleRate: Int
    /// The number of channels; 0 for other kinds than sound.
    public let channels: Int
    /// The units of the track's times, in seconds.
    let unit: (numerator: Int32, denominator: Int32)

    /// The size of the upright pictures with square pixels.
    public var presentationSize: Dimensions {
        let width = Int((Double(dimensions.width) * pixelAspectRatio).rounded())
        return orientation.apply(to: Dimensions(width: width, height: dimensions.height))
    }

    /// Whether it is the cover of a piece of music: one picture that is not played.
    let isCover: Bool

    /// Describes a stream; `nil` for one that is neither pictures, sound nor texts.
    init?(_ stream: UnsafePointer<AVStream>) {
        guard let parameters = unsafe stream.pointee.codecpar else { return nil }
        isCover = unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        switch unsafe parameters.pointee.codec_type {
        case AVMEDIA_TYPE_VIDEO: kind = .video
        case AVMEDIA_TYPE_AUDIO: kind = .audio
        case AVMEDIA_TYPE_SUBTITLE: kind = .subtitle
        default: return nil
        }
        index = Int(unsafe stream.pointee.index)
        codec = unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id))
        let texts = unsafe MediaReader.texts(stream.pointee.metadata)
        language = texts["language"].flatMap { $0 == "und" ? nil : $0 }
        title = texts["title"]
        isDefault = unsafe stream.pointee.disposition & AV_DISPOSITION_DEFAULT != 0
        isForced = unsafe stream.pointee.disposition & AV_DISPOSITION_FORCED != 0
        dimensions = unsafe Dimensions(
            width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        color = unsafe ColorDescription(
            parameters.pointee.color_space, parameters.pointee.color_range,
            AVPixelFormat(parameters.pointee.format), height: dimensions.height)
        codedFormat = unsafe Self.codedFormat(parameters.pointee)
        orientation =
            unsafe cffmpeg_display_matrix(stream).map { matrix in
                let numbers = unsafe [0, 1, 3, 4].map { unsafe Int(matrix[$0]) }
                return ExifOrientation(
                    displayMatrix: (numbers[0], numbers[1], numbers[2], numbers[3]))
            } ?? .upright
        let ratio =
            unsafe Self.ratio(stream.pointee.sample_aspect_ratio)
            ?? Self.ratio(parameters.pointee.sample_aspect_ratio) ?? 1
        // Others are mistakes.
        pixelAspectRatio = (0.01...100).contains(ratio) ? ratio : 1
        framesPerSecond =
            unsafe Self.ratio(stream.pointee.avg_frame_rate)
            ?? Self.ratio(stream.pointee.r_frame_rate)
        sampleRate = unsafe kind == .audio ? Int(parameters.pointee.sample_rate) : 0
        channels = unsafe kind == .audio ? Int(parameters.pointee.ch_layout.nb_channels) : 0
        let base = unsafe stream.pointee.time_base
        unit = (max(base.num, 1), max(base.den, 1))
    }

    private static func codedFormat(_ parameters: AVCodecParameters) -> PixelFormat? {
        if unsafe parameters.codec_id == AV_CODEC_ID_NONE {
            return unsafe parameters.codec_tag == PixelFormat.fwht.fourCC ? .fwht : nil
        }
        let isPlain = [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P].contains {
            unsafe $0.rawValue == parameters.format
        }
        let isProgressive = [AV_FIELD_UNKNOWN, AV_FIELD_PROGRESSIVE].contains {
            unsafe $0.rawValue == parameters.field_order.rawValue
        }
        guard isPlain, isProgressive else { return nil }
        switch unsafe parameters.codec_id {
        case AV_CODEC_ID_H264: return .h264
        case AV_CODEC_ID_HEVC: return .hevc
        default: return nil
        }
    }

    private static func ratio(_ fraction: AVRational) -> Double? {
        fraction.num > 0 && fraction.den > 0 ? Double(fraction.num) / Double(fraction.den) : nil
    }

    /// Returns a time of the track's own units; invalid for none.
    func time(_ units: Int64) -> MediaTime {
        if units == cffmpeg_no_time { return .invalid }
        return MediaTime(value: units, timescale: 1)
            .multiplied(byRatio: unit.numerator, unit.denominator)
    }

    /// Returns a time in the track's own units, rounded down.
    func units(_ time: MediaTime) -> Int64 {
        time.multiplied(byRatio: unit.denominator, unit.numerator)
            .converted(toTimescale: 1, .towardNegativeInfinity).value
    }
}
