// SPDX-License-Identifier: GPL-3.0-or-later

/// What is played on the screen.
public struct PlaybackSettings: Sendable, Equatable {
    /// The decoders of pictures.
    public enum Decoder: String, Sendable, CaseIterable {
        /// A device that decodes the format, if there is one.
        case auto
        /// The processor.
        case software
    }

    /// The sound device; `auto` for the first that plays, empty for none.
    public var sound = "auto"
    /// The volume in percent.
    public var volumePercent = 100
    /// The languages of sound and texts, as tags separated by spaces, the best first.
    public var languages = ""
    /// The decoder of pictures.
    public var decoder = Decoder.auto

    /// The defaults.
    public init() {}
}

extension PlaybackSettings: TableSettings {
    static let table = SettingsTable(
        "playback", "What is played on the screen: clips of the kiosk, and other media.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "sound", \.sound, .text(.soundDevice),
            """
            The sound device: `auto` is the first that plays; otherwise its card and device, such \
            as `Loopback,0`; empty for no sound.
            """),
        .key(
            "volume_percent", \.volumePercent, .integer(in: 0...100, unit: "percent"), "The volume."
        ),
        .key(
            "languages", \.languages, .text(.languages),
            """
            The languages of sound and texts, the best first, such as `de en`. Empty for those \
            that the media prefer.
            """),
        .key(
            "decoder", \.decoder, .choice,
            """
            What decodes pictures: `auto` is a V4L2 device that takes the format, if there is one; \
            `software` is the processor.
            """),
    ]
}
