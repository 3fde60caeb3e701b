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
    /// The most kilobits per second; 0 for no limit.
    public var kilobitsPerSecond = 0

    /// The defaults.
    public init() {}
}

extension SyncSettings: TableSettings {
    static let table = SettingsTable(
        "sync",
        """
        A remote that gets a copy of every photo and video. `vitrine sync now` sends what is new, \
        and proves that it has arrived. Nothing runs by itself yet.
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
            "The file that `rclone config` has made. It holds the passwords."),
        .key(
            "device_id", \.deviceID, .text(.deviceName),
            """
            The name of this kiosk's folder at the remote. If it is empty, a name is made from \
            `/etc/machine-id`.
            """),
        .key(
            "delete", \.deletion, .choice,
            """
            What happens at the remote to photos that are removed here for good: they stay \
            (`keep`), move to its folder `trash` (`trash`), or are deleted (`mirror`). Nothing \
            else at the remote is ever deleted.
            """),
        .key(
            "bandwidth_kbps", \.kilobitsPerSecond, .integer(in: 0...10_000_000, unit: "kbps"),
            "The most that is sent, in kilobits per second; 0 for no limit."),
    ]
}
