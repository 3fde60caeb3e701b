// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import Imaging
internal import Media
internal import V4L2

/// From a camera's frame to compressed pictures, for the frames of one stream: by the first of the encoders there are
/// that takes them.
final class EncodingPipeline {
    /// Nanoseconds from frame to frame as announced, or a guess.
    let interval: Int64
    private let frame: FrameDescription
    private let picture: VideoPicture
    private let settings: MovieSettings
    private var encoder: any MovieEncoder
    /// Those that are left, should it refuse the first frame.
    private var others: ArraySlice<Candidate>
    private var hasEncoded = false
    private static let usualInterval: Int64 = 33_333_333
    private static let thumbnailQuality = 80

    private enum Candidate {
        /// The camera has done it already.
        case camera
        case device(EncoderDescription)
        case library(VideoEncoder.Implementation)
    }

    /// - Throws: ``MovieError/Code/noEncoder``.
    init(_ stream: StreamDescription, _ settings: MovieSettings) throws(MovieError) {
        let interval = stream.frameInterval > 0 ? stream.frameInterval : Self.usualInterval
        (self.interval, frame, self.settings) = (interval, stream.frame, settings)
        do throws(ImagingError) {
            picture = try VideoPicture(of: stream.frame)
        } catch {
            throw Self.refusal(stream.frame, error)
        }
        others = Self.candidates(settings, stream.cameraFormat)[...]
        encoder = try Self.next(of: &others, picture, frame, interval, settings)
    }

    private static func candidates(
        _ settings: MovieSettings, _ cameraFormat: PixelFormat
    ) -> [Candidate] {
        if settings.encoder == .x264 { return [.library(.x264)] }
        let devices = EncoderDescription.all(for: settings.format)
        let byDriver: [Candidate] = devices.map { .device($0) }
        return switch settings.encoder {
        case .v4l2: byDriver
        case .v4l2m2m: [.library(.v4l2m2m)]
        case .x264: []
        case .automatic:
            // libavcodec takes frames that a device cannot import.
            (cameraFormat == settings.format ? [.camera] : []) + byDriver
                + (devices.isEmpty ? [] : [.library(.v4l2m2m)]) + [.library(.x264)]
        }
    }

    private static func next(
        of candidates: inout ArraySlice<Candidate>, _ picture: VideoPicture,
        _ frame: FrameDescription, _ interval: Int64, _ settings: MovieSettings
    ) throws(MovieError) -> any MovieEncoder {
        var reason: (any Error)?
        while let candidate = candidates.popFirst() {
            do {
                return switch candidate {
                case .camera: CameraEncoder(frame)
                case .device(let device):
                    try DeviceEncoder(device, frame, interval: interval, settings)
                case .library(let implementation):
                    try LibraryEncoder(implementation, picture, interval: interval, settings)
                }
            } catch {
                reason = error
            }
        }
        throw refusal(frame, reason)
    }

    private static func refusal(
        _ frame: FrameDescription, _ reason: (any Error)?
    ) -> MovieError {
        MovieError(.noEncoder, "\(frame.dimensions) \(frame.pixelFormat)", underlying: reason)
    }

    /// Which encoder it is, for people.
    var encoderName: String { encoder.name }

    /// What the movie has to know of the samples; `nil` before the first one.
    func track(_ rotation: Rotation) -> MovieTrack? { encoder.track(rotation) }

    /// The camera has the frame back when this returns.
    ///
    /// - Parameter time: when it is shown, nanoseconds; `nil` for when it was taken.
    /// - Returns: `nil` for a frame that is no picture.
    /// - Throws: when the encoder is of no use any more.
    func encode(
        _ lease: consuming FrameLease, at time: Int64? = nil
    ) throws(MovieError) -> [EncodedSample]? {
        let time = time ?? lease.info.timestamp
        while true {
            do throws(MovieError) {
                let samples = try encoder.encode(lease, at: time)
                if samples != nil { hasEncoded = true }
                return samples
            } catch {
                // Whether it takes a camera's memory shows only now.
                if hasEncoded || others.isEmpty { throw error }
                encoder = try Self.next(of: &others, picture, frame, interval, settings)
            }
        }
    }

    /// The next sample is a key frame, if it can be.
    func forceKeyFrame() { encoder.forceKeyFrame() }

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
