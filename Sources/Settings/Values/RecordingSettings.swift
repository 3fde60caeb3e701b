// SPDX-License-Identifier: GPL-3.0-or-later

/// The clips.
public struct RecordingSettings: Sendable, Equatable {
    /// The time that the encoder spends per picture, as an x264 preset.
    public enum Preset: String, Sendable, CaseIterable {
        case ultrafast, superfast, veryfast, faster, fast, medium
    }

    /// The video encoder.
    public enum Encoder: String, Sendable, CaseIterable {
        /// The first of the others that works.
        case auto
        /// A device that reads the camera's memory without a copy.
        case v4l2
        /// A device that libavcodec copies frames into.
        case v4l2m2m = "h264_v4l2m2m"
        /// The processor.
        case x264 = "libx264"
    }

    /// Whether clips are stabilized.
    public enum Stabilization: String, Sendable, CaseIterable {
        case off
        /// Stabilized if libavfilter is installed.
        case auto
    }

    /// Seconds from the press to the start of the clip.
    public var countdownSeconds: Int
    /// The length at which a clip ends by itself; 0 for none.
    public var maximumSeconds: Double
    /// The total size of a clip's files at which it ends by itself, in units of 2^20 bytes; 0 for
    /// none.
    public var maximumMegabytes: Int
    /// The length at which a clip continues in another file; 0 for none.
    public var segmentSeconds: Double
    /// The length of the pre-roll, which a clip has from before the press.
    public var preRollSeconds: Double
    /// The memory for the pre-roll, in units of 2^20 bytes.
    public var preRollMegabytes: Int
    /// The sound device; `auto` for the first, empty for none.
    public var microphone: String
    /// The number of sound channels, 1 or 2.
    public var soundChannels: Int
    /// The video encoder.
    public var encoder: Encoder
    /// Whether clips are stabilized.
    public var stabilization: Stabilization
    /// x264's constant rate factor, 0 (lossless) to 51.
    public var quality: Int
    /// The time that the encoder spends per picture.
    public var preset: Preset

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, RecordingKeys.table)
        countdownSeconds = decoder.value(RecordingKeys.countdown, in: table)
        maximumSeconds = decoder.value(RecordingKeys.maximum, in: table)
        maximumMegabytes = decoder.value(RecordingKeys.maximumSize, in: table)
        segmentSeconds = decoder.value(RecordingKeys.segment, in: table)
        preRollSeconds = decoder.value(RecordingKeys.preRoll, in: table)
        preRollMegabytes = decoder.value(RecordingKeys.preRollMemory, in: table)
        microphone = decoder.value(RecordingKeys.microphone, in: table)
        soundChannels = decoder.value(RecordingKeys.channels, in: table)
        encoder = decoder.value(RecordingKeys.encoder, in: table)
        stabilization = decoder.value(RecordingKeys.stabilization, in: table)
        quality = decoder.value(RecordingKeys.quality, in: table)
        preset = decoder.value(RecordingKeys.preset, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(RecordingKeys.table)
        writer.write(RecordingKeys.countdown, countdownSeconds)
        writer.write(RecordingKeys.maximum, maximumSeconds)
        writer.write(RecordingKeys.maximumSize, maximumMegabytes)
        writer.write(RecordingKeys.segment, segmentSeconds)
        writer.write(RecordingKeys.preRoll, preRollSeconds)
        writer.write(RecordingKeys.preRollMemory, preRollMegabytes)
        writer.write(RecordingKeys.microphone, microphone)
        writer.write(RecordingKeys.channels, soundChannels)
        writer.write(RecordingKeys.encoder, encoder)
        writer.write(RecordingKeys.stabilization, stabilization)
        writer.write(RecordingKeys.quality, quality)
        writer.write(RecordingKeys.preset, preset)
    }
}
