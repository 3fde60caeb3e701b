// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// An album that nobody fills (PHAssetCollectionSubtype.smartAlbum…'s counterpart): what fits is in it.
public enum SmartAlbum: String, Hashable, Sendable, Codable, CaseIterable {
    /// Everything in view, the newest first.
    case recents
    case favorites, videos, photos
    /// The photos that stand for bursts.
    case bursts
    case timelapses
    /// What is hidden and not deleted.
    case hidden
    /// What came into the library in the last 30 days, the newest first.
    case recentlyAdded
    /// What is deleted and not yet gone, the last deleted first.
    case recentlyDeleted
    /// What no remote has yet.
    case notYetSynced

    /// As a person reads it.
    public var title: String {
        switch self {
        case .recents: "Recents"
        case .favorites: "Favourites"
        case .videos: "Videos"
        case .photos: "Photos"
        case .bursts: "Bursts"
        case .timelapses: "Timelapses"
        case .hidden: "Hidden"
        case .recentlyAdded: "Recently added"
        case .recentlyDeleted: "Recently deleted"
        case .notYetSynced: "Not yet synced"
        }
    }

    /// Nanoseconds for which something is recently added.
    private static let recent: Int64 = 30 * 86400 * 1_000_000_000

    /// What its assets have in common besides being in view; `nil` for no more than that.
    var filter: AssetFilter? {
        switch self {
        case .recents, .notYetSynced: nil
        case .favorites: AssetFilter.isFavorite == true
        case .videos: AssetFilter.mediaType == .video
        case .photos: AssetFilter.mediaType == .photo
        case .bursts: AssetFilter.representsBurst == true
        case .timelapses: .subtypes(.timelapse)
        case .hidden: AssetFilter.isHidden == true
        case .recentlyAdded:
            .comparison(.addedAt, .greaterOrEqual, .integer(Clock.wall - Self.recent))
        case .recentlyDeleted: AssetFilter.deletedAt != nil
        }
    }

    /// Of the sets whose sizes the database keeps; `nil` where it keeps none.
    var counter: String? {
        switch self {
        case .recents: "view"
        case .favorites, .videos, .photos, .bursts, .timelapses, .hidden: rawValue
        case .recentlyDeleted: "deleted"
        case .recentlyAdded, .notYetSynced: nil
        }
    }

    /// The order where none is asked for; empty for that of ``Asset/sequence``.
    var sortDescriptors: [AssetSortDescriptor] {
        switch self {
        case .recents, .recentlyAdded: [AssetSortDescriptor(.sequence, ascending: false)]
        case .recentlyDeleted: [AssetSortDescriptor(.deletedAt, ascending: false)]
        default: []
        }
    }
}
