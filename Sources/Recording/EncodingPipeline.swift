// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import Imaging
internal import Media

/// From a camera's frame to compressed pictures, for the frames of one stream.
final class EncodingPipeline {
    let encoder: VideoEncoder
    /// Nanoseconds from frame to frame as announced, or a guess.
    let interval: Int64
    private let picture: VideoPicture
    private static let usualInterval: Int64 = 33_333_333
    private static let thumbnailQuality = 80

    /// - Throws: ``MovieError/Code/noEncoder``.
    init(_ stream: StreamDescription, _ settings: MovieSettings) throws(MovieError) {
        interval = stream.frameInterval > 0 ? stream.frameInterval : Self.usualInterval
        do {
            picture = try VideoPicture(of: stream.frame)
            let frame = picture.description
            var wanted = VideoEncoder.Settings(
                frame.pixelFormat, frame.dimensions, color: frame.color,
                frameRate: 1e9 / Double(interval))
            wanted.quality = settings.quality
            wanted.preset = settings.preset
            encoder = try VideoEncoder(wanted)
        } catch {
            throw MovieError(
                .noEncoder, "\(stream.frame.dimensions) \(stream.frame.pixelFormat)",
                underlying: error)
        }
    }

    func track(_ rotation: Rotation) -> MovieTrack {
        .h264(
            encoder.parameterSets, picture.description.dimensions,
            color: picture.description.color, rotation: rotation)
    }

    /// The camera has the frame back when this returns.
    ///
    /// - Parameter time: when it is shown, nanoseconds; `nil` for when it was taken.
    /// - Returns: `nil` for a frame that is no picture.
    /// - Throws: when the encoder is of no use any more.
    func encode(
        _ lease: consuming FrameLease, at time: Int64? = nil
    ) throws(MovieError) -> [EncodedSample]? {
        let time = time ?? lease.info.timestamp
        do {
            return try unsafe lease.withPixels { pixels in
                try unsafe picture.withPicture(of: pixels) { picture in
                    try unsafe encoder.encode(picture, at: time)
                }
            }
        } catch let error as CodecError {
            throw MovieError(.noEncoder, "the video encoder", underlying: error)
        } catch {
            return nil
        }
    }

    /// A small JPEG of a frame, if one can be made.
    func thumbnail(of lease: borrowing FrameLease) -> [UInt8]? {
        try? unsafe lease.withPixels { pixels in
            try unsafe picture.withPicture(of: pixels) { picture in
                let jpeg = try JPEGEncoder()
                let bytes = try unsafe jpeg.encode(picture, quality: Self.thumbnailQuality)
                return try jpeg.thumbnail(of: bytes, decoder: JPEGDecoder())
            }
        }
    }
}
