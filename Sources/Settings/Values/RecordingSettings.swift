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
    public var countdownSeconds = 0
    /// The length at which a clip ends by itself; 0 for none.
    public var maximumSeconds = 60.0
    /// The total size of a clip's files at which it ends, in units of 2^20 bytes; 0 for none.
    public var maximumMegabytes = 0
    /// The length at which a clip continues in another file; 0 for none.
    public var segmentSeconds = 0.0
    /// The length of the pre-roll, which a clip has from before the press.
    public var preRollSeconds = 0.0
    /// The memory for the pre-roll, in units of 2^20 bytes.
    public var preRollMegabytes = 32
    /// The sound device; `auto` for the first, empty for none.
    public var microphone = ""
    /// The number of sound channels, 1 or 2.
    public var soundChannels = 1
    /// The video encoder.
    public var encoder = Encoder.auto
    /// Whether clips are stabilized.
    public var stabilization = Stabilization.off
    /// x264's constant rate factor, 0 (lossless) to 51.
    public var quality = 23
    /// The time that the encoder spends per picture.
    public var preset = Preset.superfast

    /// The defaults.
    public init() {}
}

extension RecordingSettings: TableSettings {
    static let table = SettingsTable(
        "recording",
        "Clips (H.264 in MP4). A button with the action `record` begins and ends them.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "countdown_s", \.countdownSeconds, .integer(in: 0...30, unit: "s"),
            """
            Seconds from the press to the start of the clip; a second press cancels. A clip that \
            lasts as long as a button is held has no countdown.
            """),
        .key(
            "maximum_s", \.maximumSeconds, .number(in: 0...0, 1...86400, unit: "s"),
            "The length at which a clip ends by itself, shown on the screen; 0 for no limit."),
        .key(
            "maximum_mb", \.maximumMegabytes, .integer(in: 0...1_000_000, unit: "MB"),
            "The size of all files of a clip at which it ends by itself; 0 for no limit."),
        .key(
            "segment_s", \.segmentSeconds, .number(in: 0...0, 1...86400, unit: "s"),
            """
            The length after which a clip continues in another file, with no picture or sound \
            missing in between; 0 for never.
            """),
        .key(
            "pre_roll_s", \.preRollSeconds, .number(in: 0...30, unit: "s"),
            """
            How much of the time before the press a clip includes. Above 0 the camera's pictures \
            are compressed all the time, which takes a processor core of its own on small boards.
            """),
        .key(
            "pre_roll_memory_mb", \.preRollMegabytes, .integer(in: 1...1024, unit: "MB"),
            "Memory for the pre-roll; if it does not suffice, the pre-roll is shorter."),
        .key(
            "microphone", \.microphone, .text(.soundDevice),
            """
            The sound device of clips: `auto` is the first that records; otherwise its name in \
            `vitrine devices`, such as `Loopback,1`; empty for no sound.
            """),
        .key("sound_channels", \.soundChannels, .integer(in: 1...2), "1 is mono, 2 is stereo."),
        .key(
            "encoder", \.encoder, .choice,
            """
            What compresses clips: `v4l2` is a device that reads the camera's own memory, \
            `h264_v4l2m2m` is a device that gets copies, `libx264` is the processor. `auto` takes \
            the first of them that accepts the camera's pictures.
            """),
        .key(
            "stabilization", \.stabilization, .choice,
            """
            `auto` removes shaking from clips, with libavfilter on the processor. Pictures that a \
            camera or a device compresses cannot be stabilized.
            """),
        .key(
            "quality", \.quality, .integer(in: 0...51),
            """
            x264's constant rate factor: 18 is hardly distinguishable from the camera's pictures, \
            28 is small. Other encoders get a matching bit rate: six less doubles it.
            """),
        .key(
            "preset", \.preset, .choice,
            """
            x264's preset, which is the time that the encoder spends; slower presets make smaller \
            files.
            """),
    ]
}
