// SPDX-License-Identifier: GPL-3.0-or-later

/// The copies of photos and videos at a remote.
public struct SyncSettings: Sendable, Equatable {
    /// The deletion at the remote of assets that are purged here.
    public enum Deletion: String, Sendable, CaseIterable {
        /// They stay.
        case keep
        /// They move to the folder `trash`, beside those of the kiosks.
        case trash
        /// They are deleted.
        case mirror
    }

    /// An absolute folder, or rclone's `NAME:PATH`; empty for no remote.
    public var remote = ""
    /// The file with rclone's remotes; `nil` for none.
    public var rcloneConfiguration: String?
    /// The name of this kiosk's folder at the remote; `nil` for one made from the machine's id.
    public var deviceID: String?
    /// The policy for purged assets.
    public var deletion = Deletion.keep
    /// Whether edited photos are sent as a person sees them, beside their originals.
    public var sendsRenditions = false
    /// The minutes between two runs of the service.
    public var intervalMinutes = 15
    /// Whether the service also runs soon after each photo or clip.
    public var followsCapture = true
    /// The part of the day in which the service sends; `nil` for the whole day.
    public var window: DailyPeriod?
    /// The most kilobits per second; 0 for no limit.
    public var kilobitsPerSecond = 0

    /// The defaults.
    public init() {}
}

extension SyncSettings: TableSettings {
    static let table = SettingsTable(
        "sync",
        """
        A remote that gets a copy of every photo and video. The service `vitrine-sync` sends what \
        is new, and proves that it has arrived. It reads this table before each run.
        """)
    static let fields: [SettingsField<Self>] = [
        .key(
            "remote", \.remote, .text(.remote),
            """
            The place of the copies: a folder, or a remote of rclone and a folder there, such as \
            `s3:photos`; empty for none.
            """),
        .key(
            "rclone_config", \.rcloneConfiguration, .text(.file),
            """
            The file that `rclone config` has made. It holds the passwords. The service gets \
            `/etc/vitrine/rclone.conf` from systemd, whatever is here.
            """),
        .key(
            "device_id", \.deviceID, .text(.deviceName),
            """
            The name of this kiosk's folder at the remote. If it is empty, a name is made from \
            `/etc/machine-id`.
            """),
        .key(
            "interval_min", \.intervalMinutes, .integer(in: 1...10_080, unit: "min"),
            """
            How long the service waits between two runs. Each wait is up to a tenth shorter or \
            longer, so that many kiosks spread out.
            """),
        .key(
            "after_capture", \.followsCapture, .boolean,
            "Whether the service also runs half a minute after the last of new photos and clips."),
        .key(
            "window", \.window, .dailyPeriod,
            """
            The part of the day in which the service sends, by the board's clock, such as \
            `22:00-06:00`; empty for the whole day. It counts once the clock is known to be right.
            """),
        .key(
            "delete", \.deletion, .choice,
            """
            What happens at the remote to photos that are removed here for good: they stay \
            (`keep`), move to its folder `trash` (`trash`), or are deleted (`mirror`). Nothing \
            else at the remote is ever deleted.
            """),
        .key(
            "renditions", \.sendsRenditions, .boolean,
            """
            Whether photos that were turned or cropped are also sent as a person sees them, as \
            JPEGs in the folder `renditions`.
            """),
        .key(
            "bandwidth_kbps", \.kilobitsPerSecond, .integer(in: 0...10_000_000, unit: "kbps"),
            "The most that is sent, in kilobits per second; 0 for no limit."),
    ]
}
