// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What a program that reads videos says of one.
public struct VideoDescription: Sendable {
    /// Of the first moving picture, as FFmpeg names it, such as "h264"; `nil` when there is none.
    public var codec: String?
    /// As FFmpeg names it, such as "yuv420p".
    public var pixelFormat: String?
    /// Square pixels, before it is turned.
    public var dimensions: Dimensions
    /// How a player turns and mirrors it.
    public var orientation: ExifOrientation
    /// `nil` when not known.
    public var durationMicroseconds: Int64?
    /// Nanoseconds since 1970, UTC; `nil` when not known.
    public var creationTime: Int64?
    /// The same moment in the local time of the camera, which Apple's write: `2024-07-01T21:00:00+0900`; `nil` when not
    /// known.
    public var creationDate: String?
    /// Where it was taken; `nil` when not known.
    public var location: Location?
    /// Whether it says which photo it was taken with.
    public var belongsToPhoto: Bool

    /// Of the given parts; nothing is checked.
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
    /// What the boards that Vitrine runs on play, with their hardware or in time without it.
    static let playableCodecs: Set<String> = [
        "h264", "hevc", "mpeg4", "mjpeg", "vp8", "vp9", "av1",
    ]
    static let playableFormats: Set<String> = [
        "yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "nv12", "gray", "yuv444p", "yuvj444p",
    ]
    /// No side is longer, and no more pixels are in one: level 5.1 of H.264.
    static let largest = Dimensions(width: 4096, height: 2304)

    /// Returns when the library takes the video (the counterpart of
    /// `UIVideoAtPathIsCompatibleWithSavedPhotosAlbum`).
    ///
    /// - Throws: `unsupported` or `damaged`, with the reason.
    public func requireCompatible() throws(ImportError) {
        guard let codec else { throw ImportError(.unsupported, "there is no moving picture in it") }
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
