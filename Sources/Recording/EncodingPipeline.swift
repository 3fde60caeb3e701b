// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import Glibc
internal import Imaging
internal import LinuxIO
internal import Media
internal import V4L2

/// Compresses the frames of one stream with the first available encoder that takes them.
final class EncodingPipeline {
    /// Nanoseconds from frame to frame as announced, or a guess.
    let interval: Int64
    private let frame: FrameDescription
    private let picture: VideoPicture
    private let frameCount: Int
    private let settings: MovieSettings
    private let refusals: CodecRefusals
    private var encoder: (any MovieEncoder)?
    /// The candidates left if the encoder refuses the first frames.
    private var others: ArraySlice<Candidate>
    private var hasEncoded = false
    private var refusedFrames = 0
    private static let mostRefusedFrames = 3
    private static let usualInterval: Int64 = 33_333_333
    private static let usualFrameCount = 16
    private static let thumbnailQuality = 80

    private enum Candidate {
        case camera
        /// All V4L2 devices, until each has a candidate of its own.
        case devices
        case device(CodecDescription)
        case library(VideoEncoder.Implementation)
    }

    /// Creates a pipeline with the first encoder that can be made and is not among `refusals`.
    /// Throws ``MovieError/Code/noEncoder``.
    init(
        _ stream: StreamDescription, _ settings: MovieSettings,
        _ refusals: CodecRefusals = CodecRefusals()
    ) throws(MovieError) {
        interval = stream.frameInterval > 0 ? stream.frameInterval : Self.usualInterval
        (frame, self.settings, self.refusals) = (stream.frame, settings, refusals)
        frameCount = min(stream.frameCount ?? Self.usualFrameCount, 32)
        do throws(ImagingError) {
            picture = try VideoPicture(of: stream.frame)
        } catch {
            throw MovieError(
                .noEncoder, "\(stream.frame.dimensions) \(stream.frame.pixelFormat)",
                underlying: error)
        }
        others = Self.candidates(settings, stream.cameraFormat)[...]
        try makeNextEncoder()
    }

    private static func candidates(
        _ settings: MovieSettings, _ cameraFormat: PixelFormat
    ) -> [Candidate] {
        switch settings.encoder {
        case .v4l2: return [.devices]
        case .v4l2m2m: return [.library(.v4l2m2m)]
        case .x264: return [.library(.x264)]
        case .automatic:
            // Only libavcodec can stabilize the pictures first.
            if settings.isStabilized { return [.library(.x264)] }
            // libavcodec takes frames that a device cannot import.
            return (cameraFormat == settings.format ? [.camera] : []) + [.devices, .library(.x264)]
        }
    }

    private func makeNextEncoder() throws(MovieError) {
        // The next candidate may need the same device.
        encoder = nil
        var reason: (any Error)?
        while encoder == nil, let candidate = others.popFirst() {
            do {
                encoder = try make(candidate)
            } catch {
                reason = error
            }
        }
        if encoder == nil {
            throw MovieError(
                .noEncoder, "\(frame.dimensions) \(frame.pixelFormat)", underlying: reason)
        }
    }

    private func make(_ candidate: Candidate) throws -> (any MovieEncoder)? {
        switch candidate {
        case .camera: return CameraEncoder(frame)
        case .devices:
            let all = CodecDescription.encoders(to: settings.format)
            let devices = all.filter { !refusals.contains($0.name) }
            if devices.isEmpty, others.isEmpty, let first = all.first {
                throw MovieError(.noEncoder, "\(first.name) stalled a short while ago")
            }
            let copying: [Candidate] =
                devices.isEmpty || settings.encoder != .automatic ? [] : [.library(.v4l2m2m)]
            others = (devices.map { .device($0) } + copying + others)[...]
            return nil
        case .device(let device):
            refusals.begin(device.name)
            return try DeviceEncoder(
                device, frame, count: frameCount, interval: interval, settings)
        case .library(let implementation):
            if implementation != .x264, refusals.contains(implementation.rawValue) { return nil }
            refusals.begin(implementation.rawValue)
            return try LibraryEncoder(implementation, picture, interval: interval, settings)
        }
    }

    var encoderName: String? { encoder?.name }
    /// Whether the camera compresses; pictures that refer to a lost frame are then left out.
    var isOfCamera: Bool { encoder is CameraEncoder }
    var isForOneMovie: Bool { encoder?.isForOneMovie ?? true }

    func track(_ orientation: ExifOrientation) -> MovieTrack? { encoder?.track(orientation) }

    /// Compresses a frame to be shown at `time` (nanoseconds; `nil`: its own) and ends its lease.
    /// Returns `nil` for a frame that cannot be decoded; throws if the encoder is unusable.
    func encode(
        _ lease: consuming FrameLease, at time: Int64? = nil
    ) throws(MovieError) -> [EncodedSample]? {
        let time = time ?? lease.info.timestamp
        while true {
            do throws(MovieError) {
                guard let encoder else {
                    throw MovieError(.noEncoder, "no encoder is left")
                }
                let samples = try encoder.encode(lease, at: time)
                if samples != nil { hasEncoded = true }
                if samples != nil || hasEncoded || others.isEmpty { return samples }
                // Every encoder refuses a damaged frame; repeated refusals replace the encoder.
                refusedFrames += 1
                if refusedFrames < Self.mostRefusedFrames { return nil }
            } catch {
                if (error.underlying as? SystemCallError)?.code == ETIMEDOUT {
                    refusals.addCurrent()
                }
                // The first frame shows whether a device takes the camera's memory.
                if hasEncoded || others.isEmpty { throw error }
            }
            try makeNextEncoder()
        }
    }

    func forceKeyFrame() { encoder?.forceKeyFrame() }

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
