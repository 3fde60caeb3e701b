// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A video as a program that reads videos describes it.
public struct VideoDescription: Sendable {
    /// The first video stream's codec by FFmpeg's name, such as "h264"; `nil` if there is none.
    public var codec: String?
    /// The pixel format by FFmpeg's name, such as "yuv420p".
    public var pixelFormat: String?
    /// The size in square pixels, before turning.
    public var dimensions: Dimensions
    /// The turn and mirroring that players apply.
    public var orientation: ExifOrientation
    /// The duration; `nil` if unknown.
    public var durationMicroseconds: Int64?
    /// The creation time in nanoseconds since 1970, UTC; `nil` if unknown.
    public var creationTime: Int64?
    /// The same moment in the camera's local time, which Apple's devices write:
    /// `2024-07-01T21:00:00+0900`; `nil` if unknown.
    public var creationDate: String?
    /// The place of recording; `nil` if unknown.
    public var location: Location?
    /// Whether the video names the photo that it was taken with.
    public var belongsToPhoto: Bool

    /// Creates a description from its parts without checking them.
    public init(
        codec: String?, pixelFormat: String?, dimensions: Dimensions,
        orientation: ExifOrientation = .upright, durationMicroseconds: Int64? = nil,
        creationTime: Int64? = nil, creationDate: String? = nil, location: Location? = nil,
        belongsToPhoto: Bool = false
    ) {
        self.codec = codec
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.orientation = orientation
        self.durationMicroseconds = durationMicroseconds
        self.creationTime = creationTime
        self.creationDate = creationDate
        self.location = location
        self.belongsToPhoto = belongsToPhoto
    }
}

extension VideoDescription {
    /// The codecs that Vitrine's boards play, in hardware or fast enough in software.
    static let playableCodecs: Set<String> = [
        "h264", "hevc", "mpeg4", "mjpeg", "vp8", "vp9", "av1",
    ]
    static let playableFormats: Set<String> = [
        "yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "nv12", "gray", "yuv444p", "yuvj444p",
    ]
    /// The largest video. Its width limits both sides, its area the pixels (H.264 level 5.1).
    static let largest = Dimensions(width: 4096, height: 2304)

    /// Checks that the library accepts the video (the counterpart of
    /// `UIVideoAtPathIsCompatibleWithSavedPhotosAlbum`).
    /// - Throws: `unsupported` or `damaged`, with the reason.
    public func requireCompatible() throws(ImportError) {
        guard let codec else { throw ImportError(.unsupported, "it contains no moving picture") }
        guard Self.playableCodecs.contains(codec) else {
            throw ImportError(.unsupported, "a video of codec \(codec): \(Self.remedy)")
        }
        if let pixelFormat, !Self.playableFormats.contains(pixelFormat) {
            throw ImportError(
                .unsupported, "a video of pixel format \(pixelFormat): \(Self.remedy)")
        }
        let (width, height) = (dimensions.width, dimensions.height)
        guard width > 0, height > 0 else {
            throw ImportError(.damaged, "a video of \(width)x\(height)")
        }
        guard max(width, height) <= Self.largest.width, dimensions.pixels <= Self.largest.pixels
        else {
            throw ImportError(
                .unsupported, "a video of \(dimensions), more than \(Self.largest): \(Self.remedy)")
        }
        guard let durationMicroseconds, durationMicroseconds > 0 else {
            throw ImportError(.damaged, "a video without a duration")
        }
    }

    private static let remedy = "convert it to 8-bit H.264, such as with ffmpeg -pix_fmt yuv420p"
}
