// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media
internal import V4L2

/// A hardware encoder that reads the camera's own memory.
final class DeviceEncoder: MovieEncoder {
    private let device: EncoderDevice
    private let frame: FrameDescription
    private let format: PixelFormat
    private var parameterSets: AVCParameterSets?
    private var hasBegun = false
    private var rhythm = KeyFrameRhythm()

    /// - Throws: if the device does not take such frames.
    init(
        _ description: CodecDescription, _ frame: FrameDescription, count: Int,
        interval: Int64, _ settings: MovieSettings
    ) throws(SystemCallError) {
        self.frame = frame
        format = settings.format
        var wanted = VideoEncoder.Settings(
            frame.pixelFormat, frame.dimensions, color: frame.color,
            frameRate: 1e9 / Double(interval))
        wanted.quality = settings.quality
        device = try EncoderDevice(
            description, for: frame,
            EncoderDevice.Settings(
                format, frameInterval: interval, bitRate: wanted.averageBitRate,
                frameCount: count))
    }

    /// `true`: the device holds on to the camera's memory.
    var isForOneMovie: Bool { true }

    var name: String { device.description.name }

    func track(_ orientation: ExifOrientation) -> MovieTrack? {
        if format == .h264 {
            return parameterSets.map {
                .h264($0, frame.dimensions, color: frame.color, orientation: orientation)
            }
        }
        guard hasBegun else { return nil }
        return .video(format, frame.dimensions, color: frame.color, orientation: orientation)
    }

    func encode(
        _ lease: borrowing FrameLease, at time: Int64
    ) throws(MovieError) -> [EncodedSample]? {
        do throws(SystemCallError) {
            let isDue = rhythm.isDue(at: time)
            guard
                let coded = try device.encode(
                    lease.index, lease.slot.buffers, at: time, asKeyFrame: isDue)
            else {
                rhythm.reset()
                return nil
            }
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
