// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media
internal import V4L2

/// Compresses in hardware, which reads the camera's own memory.
final class DeviceEncoder: MovieEncoder {
    private let device: EncoderDevice
    private let frame: FrameDescription
    private let format: PixelFormat
    private var parameterSets: AVCParameterSets?
    private var hasBegun = false
    private var rhythm = KeyFrameRhythm()

    /// Bits for a pixel at the usual quality; six steps of it are half as many.
    private static let (bitsPerPixel, usualQuality, halfQuality) = (0.1, 23.0, 6.0)

    /// - Throws: where the device does not take such frames.
    init(
        _ description: EncoderDescription, _ frame: FrameDescription, interval: Int64,
        _ settings: MovieSettings
    ) throws(SystemCallError) {
        self.frame = frame
        format = settings.format
        device = try EncoderDevice(
            description, for: frame,
            EncoderDevice.Settings(
                format, frameInterval: interval,
                bitRate: Self.bitRate(frame.dimensions, interval, settings.quality)))
    }

    private static func bitRate(_ size: Dimensions, _ interval: Int64, _ quality: Int) -> Int {
        let pixels = Double(size.width * size.height) * 1e9 / Double(interval)
        let steps = max(-12, min(12, usualQuality - Double(quality)))
        var share = bitsPerPixel
        for _ in 0..<Int(abs(steps)) { share *= steps > 0 ? 1.122 : 1 / 1.122 }
        return max(Int(pixels * share), 500_000)
    }

    var name: String { "\(device.description.path) (\(device.description.capability.card))" }

    func track(_ rotation: Rotation) -> MovieTrack? {
        if format == .h264 {
            return parameterSets.map {
                .h264($0, frame.dimensions, color: frame.color, rotation: rotation)
            }
        }
        guard hasBegun else { return nil }
        return .video(format, frame.dimensions, color: frame.color, rotation: rotation)
    }

    func encode(
        _ lease: borrowing FrameLease, at time: Int64
    ) throws(MovieError) -> [EncodedSample]? {
        do throws(SystemCallError) {
            let coded = try device.encode(
                lease.index, lease.slot.buffers, at: time, asKeyFrame: rhythm.isDue(at: time))
            hasBegun = true
            guard format == .h264 else {
                return [
                    EncodedSample(bytes: coded.bytes, time: time, isKeyFrame: coded.isKeyFrame)
                ]
            }
            parameterSets = parameterSets ?? AVCParameterSets(byteStream: coded.bytes)
            let (bytes, isKeyFrame) = AVCParameterSets.sample(byteStream: coded.bytes)
            return [EncodedSample(bytes: bytes, time: time, isKeyFrame: isKeyFrame)]
        } catch {
            throw MovieError(.noEncoder, name, underlying: error)
        }
    }

    func forceKeyFrame() { rhythm.reset() }
}
