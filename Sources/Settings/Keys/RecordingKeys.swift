// SPDX-License-Identifier: GPL-3.0-or-later

enum RecordingKeys {
    static let table = SettingsTable(
        name: "recording", isList: false,
        help: "Clips (H.264 in MP4). A button with the action `record` begins and ends them.")
    static let countdown = TypedKey.integer(
        table, "countdown_s", default: 0, in: 0...30, unit: "s",
        help:
            "Seconds from the press to the start of the clip; a second press cancels. A clip that "
            + "lasts as long as a button is held has no countdown.")
    static let maximum = TypedKey.number(
        table, "maximum_s", default: 60, in: 0...0, 1...86400, unit: "s",
        help: "The length at which a clip ends by itself, shown on the screen; 0 for no limit.")
    static let maximumSize = TypedKey.integer(
        table, "maximum_mb", default: 0, in: 0...1_000_000, unit: "MB",
        help: "The size of all files of a clip at which it ends by itself; 0 for no limit.")
    static let segment = TypedKey.number(
        table, "segment_s", default: 0, in: 0...0, 1...86400, unit: "s",
        help:
            "The length after which a clip continues in another file, with no picture or sound "
            + "missing in between; 0 for never.")
    static let preRoll = TypedKey.number(
        table, "pre_roll_s", default: 0, in: 0...30, unit: "s",
        help:
            "How much of the time before the press a clip includes. Above 0 the camera's pictures "
            + "are compressed all the time, which takes a processor core of its own on small "
            + "boards.")
    static let preRollMemory = TypedKey.integer(
        table, "pre_roll_memory_mb", default: 32, in: 1...1024, unit: "MB",
        help: "Memory for the pre-roll; if it does not suffice, the pre-roll is shorter.")
    static let microphone = TypedKey.text(
        table, "microphone", default: "",
        .soundDevice,
        help:
            "The sound device of clips: `auto` is the first that records; otherwise its name in "
            + "`vitrine devices`, such as `Loopback,1`; empty for no sound.")
    static let channels = TypedKey.integer(
        table, "sound_channels", default: 1, in: 1...2, help: "1 is mono, 2 is stereo.")
    static let encoder = TypedKey<RecordingSettings.Encoder>.choice(
        table, "encoder", default: .auto,
        help:
            "What compresses clips: `v4l2` is a device that reads the camera's own memory, "
            + "`h264_v4l2m2m` is a device that gets copies, `libx264` is the processor. `auto` "
            + "takes the first of them that accepts the camera's pictures.")
    static let stabilization = TypedKey<RecordingSettings.Stabilization>.choice(
        table, "stabilization", default: .off,
        help:
            "`auto` removes shaking from clips, with libavfilter on the processor. Pictures that a "
            + "camera or a device compresses cannot be stabilized.")
    static let quality = TypedKey.integer(
        table, "quality", default: 23, in: 0...51,
        help:
            "x264's constant rate factor: 18 is hardly distinguishable from the camera's pictures, "
            + "28 is small. Other encoders get a matching bit rate: six less doubles it.")
    static let preset = TypedKey<RecordingSettings.Preset>.choice(
        table, "preset", default: .superfast,
        help:
            "x264's preset, which is the time that the encoder spends; slower presets make smaller "
            + "files.")
    static let all = [
        countdown.key, maximum.key, maximumSize.key, segment.key, preRoll.key, preRollMemory.key,
        microphone.key,
        channels.key,
        encoder.key, stabilization.key, quality.key, preset.key,
    ]
}
