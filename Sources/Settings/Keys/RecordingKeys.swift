// SPDX-License-Identifier: GPL-3.0-or-later

enum RecordingKeys {
    static let table = SettingsTable(
        name: "recording", isList: false,
        help: "Clips, which a button with the action `record` begins and ends (H.264 in MP4).")
    static let countdown = TypedKey.integer(
        table, "countdown_s", default: 0, in: 0...30, unit: "s",
        help:
            "Seconds from the press to the clip's beginning; a second press takes it back. Clips that last as long as "
            + "a button is held begin at once.")
    static let maximum = TypedKey.number(
        table, "maximum_s", default: 60, in: 0...0, 1...86400, unit: "s",
        help: "A clip ends by itself when it is so long, as the screen says; 0 is never.")
    static let maximumSize = TypedKey.integer(
        table, "maximum_mb", default: 0, in: 0...1_000_000, unit: "MB",
        help:
            "A clip ends by itself when it is so large, all of its files together; 0 is never.")
    static let segment = TypedKey.number(
        table, "segment_s", default: 0, in: 0...0, 1...86400, unit: "s",
        help:
            "A clip goes on in another file after so long, without a picture or a sound missing in between; 0 is never."
    )
    static let preRoll = TypedKey.number(
        table, "pre_roll_s", default: 0, in: 0...30, unit: "s",
        help:
            "What a clip has from before the press. Above 0 the camera's pictures are compressed all the "
            + "time, which takes a processor of its own on small boards.")
    static let preRollMemory = TypedKey.integer(
        table, "pre_roll_memory_mb", default: 32, in: 1...1024, unit: "MB",
        help: "Memory for that; where it does not do, clips have less from before the press.")
    static let microphone = TypedKey.text(
        table, "microphone", default: "",
        .soundDevice,
        help:
            "Where the clips' sound comes from: `auto` is the first sound device that records, else its name as "
            + "`vitrine devices` tells it, such as `Loopback,1`; empty is none.")
    static let channels = TypedKey.integer(
        table, "sound_channels", default: 1, in: 1...2, help: "1 is mono, 2 is stereo.")
    static let encoder = TypedKey<RecordingSettings.Encoder>.choice(
        table, "encoder", default: .auto,
        help:
            "Who compresses: `v4l2` is a device that reads the camera's own memory, `h264_v4l2m2m` copies into one, "
            + "`libx264` works on the processor; `auto` is the first of them that takes the camera's pictures."
    )
    static let stabilization = TypedKey<RecordingSettings.Stabilization>.choice(
        table, "stabilization", default: .off,
        help:
            "`auto` takes the shaking out of clips, by libavfilter on the processor; what a camera or a device "
            + "compresses by itself cannot be had then.")
    static let quality = TypedKey.integer(
        table, "quality", default: 23, in: 0...51,
        help:
            "x264's constant rate factor: 18 is hardly to be told from the camera's pictures, 28 is small. Other "
            + "encoders have a bit rate to match: six less is twice as many bits.")
    static let preset = TypedKey<RecordingSettings.Preset>.choice(
        table, "preset", default: .superfast,
        help: "x264's preset: how much time the encoder spends; slower ones make smaller files.")
    static let all = [
        countdown.key, maximum.key, maximumSize.key, segment.key, preRoll.key, preRollMemory.key,
        microphone.key,
        channels.key,
        encoder.key, stabilization.key, quality.key, preset.key,
    ]
}
