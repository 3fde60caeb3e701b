// SPDX-License-Identifier: GPL-3.0-or-later

/// The library of photos. One MB is 1,048,576 bytes.
public struct LibrarySettings: Sendable, Equatable {
    /// The library's folder; absolute after `Settings.load(file:)`.
    public var path = "/var/lib/vitrine/library"
    /// Free space, in MB, that photos never use.
    public var reserveMegabytes = 512
    /// How many days deleted assets can be restored; 0 to keep them until they are purged.
    public var deletedDays = 30
    /// How many days photos and videos are kept; 0 for ever.
    public var retentionDays = 0
    /// How many photos and videos are kept; 0 for all.
    public var retentionAssets = 0
    /// The free space, in MB, that is kept by removing the oldest photos and videos; 0 for none.
    public var retentionFreeMegabytes = 0
    /// Whether the rules for age, number and space remove only originals that a remote has.
    public var requiresSync = true
    /// The memory, in MB, of the cache of decoded pictures.
    public var imageMemoryMegabytes = 64
    /// The memory, in MB, that decoding one picture may take.
    public var pictureMemoryMegabytes = 256
    /// The disk space, in MB, for pictures that can be rebuilt.
    public var derivedMegabytes = 256

    /// The defaults.
    public init() {}
}

extension LibrarySettings: TableSettings {
    static let table = SettingsTable(
        "library",
        "Where photos and videos are kept, and for how long.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "path", \.path, .text(.path),
            """
            The library's folder, on a file system with room for the photos. A relative path \
            starts at the configuration file's folder.
            """),
        .key(
            "reserve_mb", \.reserveMegabytes, .integer(in: 0...1_000_000, unit: "MB"),
            "Free space that photos never use. With less, a press says that the library is full."),
        .key(
            "deleted_days", \.deletedDays, .integer(in: 0...3650, unit: "days"),
            """
            How long deleted photos can be restored, counted while the clock is right; 0 keeps \
            them until they are purged.
            """),
        .key(
            "retention_days", \.retentionDays, .integer(in: 0...36_500, unit: "days"),
            """
            Photos and videos that are older are removed for good; 0 for never. Favourites stay, \
            and so do imports and what was taken while the clock was not known to be right. No \
            retention rule removes recovered assets.
            """),
        .key(
            "retention_assets", \.retentionAssets, .integer(in: 0...100_000_000),
            """
            How many photos and videos are kept besides favourites, which are not counted; the \
            oldest others are removed for good. 0 keeps all.
            """),
        .key(
            "retention_free_mb",
            \.retentionFreeMegabytes,
            .integer(in: 0...100_000_000, unit: "MB"),
            """
            While less is free, deleted photos are removed for good, then the oldest photos and \
            videos except favourites. 0 for never. Give more than `reserve_mb`, or the library is \
            full before that.
            """),
        .key(
            "require_sync", \.requiresSync, .boolean,
            """
            Whether the rules for age, number and space remove only originals that the remote of \
            `[sync]` is proven to have. The photos then stay in the library, with a picture for \
            the screen. With `false` these rules remove photos and videos for good.
            """),
        .key(
            "image_memory_mb", \.imageMemoryMegabytes, .integer(in: 1...65_536, unit: "MB"),
            "Memory for decoded pictures that are kept for reuse."),
        .key(
            "picture_memory_mb", \.pictureMemoryMegabytes, .integer(in: 16...65_536, unit: "MB"),
            """
            The most memory that one picture of an original may take while it is made. A picture \
            that would take more is refused, or must be asked for smaller.
            """),
        .key(
            "derived_mb", \.derivedMegabytes, .integer(in: 0...1_000_000, unit: "MB"),
            """
            Space for pictures of the screen's size that are kept for reuse. They can be made \
            again: those unused for the longest time are deleted first, and none is written if \
            less than `reserve_mb` or `retention_free_mb` would stay free. Thumbnails are not \
            counted: each asset keeps its own, of some kilobytes.
            """),
    ]
}
