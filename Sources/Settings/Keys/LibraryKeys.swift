// SPDX-License-Identifier: GPL-3.0-or-later

enum LibraryKeys {
    static let table = SettingsTable(
        name: "library", isList: false, help: "Where photos are kept.")
    static let path = TypedKey.text(
        table, "path", default: "/var/lib/vitrine/library", .path,
        help: "The library's folder, on a file system with room for the photos. A relative "
            + "path starts at the configuration file's folder.")
    static let reserve = TypedKey.integer(
        table, "reserve_mb", default: 512, in: 0...1_000_000, unit: "MB",
        help: "Free space that photos never take. Below it, pressing the button says that the "
            + "library is full.")
    static let deletedDays = TypedKey.integer(
        table, "deleted_days", default: 30, in: 0...3650, unit: "days",
        help:
            "For so long what was deleted can be restored, counted while the clock is right; 0: until "
            + "it is purged.")
    static let retentionDays = TypedKey.integer(
        table, "retention_days", default: 0, in: 0...36_500, unit: "days",
        help:
            "Photos and videos that are older go for good; 0: none does. Favourites stay, and what was "
            + "imported, or taken while the clock was not known to be right; so does, with every rule, what was recovered."
    )
    static let retentionAssets = TypedKey.integer(
        table, "retention_assets", default: 0, in: 0...100_000_000,
        help:
            "So many photos and videos are kept besides favourites, which are not counted; the oldest others "
            + "go for good. 0: all are kept.")
    static let retentionFree = TypedKey.integer(
        table, "retention_free_mb", default: 0, in: 0...100_000_000, unit: "MB",
        help:
            "While less is free, what was deleted goes for good, then the oldest photos and videos, but for "
            + "favourites. 0: none "
            + "does. More than `reserve_mb`, or the library is full before that.")
    static let requiresSync = TypedKey.boolean(
        table, "require_sync", default: true,
        help:
            "Whether only that goes by age, number and space which a remote has. Nothing is synced yet: "
            + "until it is, `false` is what lets these rules work.")
    static let imageMemory = TypedKey.integer(
        table, "image_memory_mb", default: 64, in: 1...65_536, unit: "MB",
        help: "So much memory is for decoded pictures that are kept at hand.")
    static let pictureMemory = TypedKey.integer(
        table, "picture_memory_mb", default: 256, in: 16...65_536, unit: "MB",
        help:
            "No picture of an original takes more memory than this while it is made: one that would is refused, or has "
            + "to be asked for smaller."
    )
    static let derived = TypedKey.integer(
        table, "derived_mb", default: 256, in: 0...1_000_000, unit: "MB",
        help:
            "So much space is for pictures of the screen's size that are kept. They can be made again: those "
            + "that nobody has looked at for the longest time go, and none is written where less than `reserve_mb`, or `retention_free_mb`, would be left free. "
            + "Thumbnails are not among them: each asset keeps its own, of some kilobytes."
    )
    static let all = [
        path.key, reserve.key, deletedDays.key, retentionDays.key, retentionAssets.key,
        retentionFree.key, requiresSync.key, imageMemory.key,
        pictureMemory.key, derived.key,
    ]
}
