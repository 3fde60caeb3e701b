// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Imaging
internal import Media

/// Compresses frames with libavcodec, which reads them from memory.
final class LibraryEncoder: MovieEncoder {
    private let encoder: VideoEncoder
    private let picture: VideoPicture

    /// - Parameter picture: converts the stream's frames to pictures that the encoder takes.
    /// - Throws: if libavcodec has no such encoder, or the encoder does not take these pictures.
    init(
        _ implementation: VideoEncoder.Implementation, _ picture: VideoPicture, interval: Int64,
        _ settings: MovieSettings
    ) throws(CodecError) {
        self.picture = picture
        let frame = picture.description
        var wanted = VideoEncoder.Settings(
            frame.pixelFormat, frame.dimensions, color: frame.color,
            frameRate: 1e9 / Double(interval))
        wanted.implementation = implementation
        wanted.quality = settings.quality
        wanted.preset = settings.preset
        guard settings.isStabilized else {
            encoder = try VideoEncoder(wanted)
            return
        }
        wanted.isStabilized = true
        do throws(CodecError) {
            encoder = try VideoEncoder(wanted)
        } catch {
            // A shaky movie is better than none.
            wanted.isStabilized = false
            encoder = try VideoEncoder(wanted)
        }
    }

    var name: String { encoder.settings.implementation.rawValue }

    /// Whether the encoder stabilizes: the stabilizer would take the next movie for a continuation.
    var isForOneMovie: Bool { encoder.settings.isStabilized }

    func track(_ orientation: ExifOrientation) -> MovieTrack? {
        encoder.parameterSets.map {
            .h264(
                $0, picture.description.dimensions, color: picture.description.color,
                orientation: orientation)
        }
    }

    func encode(
        _ lease: borrowing FrameLease, at time: Int64
    ) throws(MovieError) -> [EncodedSample]? {
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

    func forceKeyFrame() { encoder.forceKeyFrame() }
}
