// SPDX-License-Identifier: GPL-3.0-or-later

enum LibraryKeys {
    static let table = SettingsTable(
        name: "library", isList: false, help: "Where photos and videos are kept, and for how long.")
    static let path = TypedKey.text(
        table, "path", default: "/var/lib/vitrine/library", .path,
        help: "The library's folder, on a file system with room for the photos. A relative "
            + "path starts at the configuration file's folder.")
    static let reserve = TypedKey.integer(
        table, "reserve_mb", default: 512, in: 0...1_000_000, unit: "MB",
        help: "Free space that photos never use. With less, a press says that the library is full.")
    static let deletedDays = TypedKey.integer(
        table, "deleted_days", default: 30, in: 0...3650, unit: "days",
        help:
            "How long deleted photos can be restored, counted while the clock is right; 0 keeps "
            + "them until they are purged.")
    static let retentionDays = TypedKey.integer(
        table, "retention_days", default: 0, in: 0...36_500, unit: "days",
        help:
            "Photos and videos that are older are removed for good; 0 for never. Favourites stay, "
            + "and so do imports and what was taken while the clock was not known to be right. No "
            + "retention rule removes recovered assets.")
    static let retentionAssets = TypedKey.integer(
        table, "retention_assets", default: 0, in: 0...100_000_000,
        help:
            "How many photos and videos are kept besides favourites, which are not counted; the "
            + "oldest others are removed for good. 0 keeps all.")
    static let retentionFree = TypedKey.integer(
        table, "retention_free_mb", default: 0, in: 0...100_000_000, unit: "MB",
        help:
            "While less is free, deleted photos are removed for good, then the oldest photos and "
            + "videos except favourites. 0 for never. Give more than `reserve_mb`, or the library "
            + "is full before that.")
    static let requiresSync = TypedKey.boolean(
        table, "require_sync", default: true,
        help:
            "Whether the rules for age, number and space remove only what a remote has. Nothing is "
            + "synced yet, so these rules need `false` to work.")
    static let imageMemory = TypedKey.integer(
        table, "image_memory_mb", default: 64, in: 1...65_536, unit: "MB",
        help: "Memory for decoded pictures that are kept for reuse.")
    static let pictureMemory = TypedKey.integer(
        table, "picture_memory_mb", default: 256, in: 16...65_536, unit: "MB",
        help:
            "The most memory that one picture of an original may take while it is made. A picture "
            + "that would take more is refused, or must be asked for smaller.")
    static let derived = TypedKey.integer(
        table, "derived_mb", default: 256, in: 0...1_000_000, unit: "MB",
        help:
            "Space for pictures of the screen's size that are kept for reuse. They can be made "
            + "again: those unused for the longest time are deleted first, and none is written if "
            + "less than `reserve_mb` or `retention_free_mb` would stay free. Thumbnails are not "
            + "counted: each asset keeps its own, of some kilobytes.")
    static let all = [
        path.key, reserve.key, deletedDays.key, retentionDays.key, retentionAssets.key,
        retentionFree.key, requiresSync.key, imageMemory.key,
        pictureMemory.key, derived.key,
    ]
}
