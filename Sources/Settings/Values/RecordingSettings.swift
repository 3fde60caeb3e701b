// SPDX-License-Identifier: GPL-3.0-or-later

/// Clips.
public struct RecordingSettings: Sendable, Equatable {
    /// How much time the encoder spends on a picture, as x264 names it.
    public enum Preset: String, Sendable, CaseIterable {
        case ultrafast, superfast, veryfast, faster, fast, medium
    }

    /// Who compresses.
    public enum Encoder: String, Sendable, CaseIterable {
        /// The first of the others that can.
        case auto
        /// A device that reads the camera's own memory.
        case v4l2
        /// A device into which libavcodec copies.
        case v4l2m2m = "h264_v4l2m2m"
        /// On the processor.
        case x264 = "libx264"
    }

    /// Whether the shaking is taken out of clips.
    public enum Stabilization: String, Sendable, CaseIterable {
        case off
        /// As far as libavfilter is there.
        case auto
    }

    /// From the press to a clip's beginning.
    public var countdownSeconds: Int
    /// A clip ends by itself when it is so long; 0: never.
    public var maximumSeconds: Double
    /// How large a clip's files get at the most, together, in units of 2^20 bytes; 0 for no limit.
    public var maximumMegabytes: Int
    /// A clip goes on in another file after so long; 0: never.
    public var segmentSeconds: Double
    /// What a clip has from before the press.
    public var preRollSeconds: Double
    /// Memory for that.
    public var preRollMegabytes: Int
    /// The sound device; `auto`: the first; empty: none.
    public var microphone: String
    /// Of the sound: 1 or 2.
    public var soundChannels: Int
    /// Who compresses.
    public var encoder: Encoder
    /// Whether the shaking is taken out of clips.
    public var stabilization: Stabilization
    /// x264's constant rate factor, 0 (lossless) to 51.
    public var quality: Int
    /// How much time the encoder spends.
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
