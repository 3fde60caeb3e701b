// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// An album of all assets that match a rule (PHAssetCollectionSubtype.smartAlbum…'s counterpart).
public enum SmartAlbum: String, Hashable, Sendable, Codable, CaseIterable {
    /// All assets in view, newest first.
    case recents
    case favorites, videos, photos
    /// The photos that represent bursts.
    case bursts
    case timelapses
    /// Assets that are hidden and not deleted.
    case hidden
    /// Assets that were added in the last 30 days, newest first.
    case recentlyAdded
    /// Assets that are deleted and not yet purged, last deleted first.
    case recentlyDeleted
    /// Assets that no remote has yet.
    case notYetSynced

    /// The album's name for a person.
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

    /// The time for which an asset counts as recently added, in nanoseconds.
    private static let recent: Int64 = 30 * 86400 * 1_000_000_000

    /// The condition for its assets besides being in view; `nil` for none.
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

    /// The name of the kept count of exactly these assets; `nil` if there is none.
    var counter: String? {
        switch self {
        case .recents: "view"
        case .favorites, .videos, .photos, .bursts, .timelapses, .hidden: rawValue
        case .recentlyDeleted: "deleted"
        case .recentlyAdded, .notYetSynced: nil
        }
    }

    /// The default order; empty for ``Asset/sequence``.
    var sortDescriptors: [AssetSortDescriptor] {
        switch self {
        case .recents, .recentlyAdded: [AssetSortDescriptor(.sequence, ascending: false)]
        case .recentlyDeleted: [AssetSortDescriptor(.deletedAt, ascending: false)]
        default: []
        }
    }
}
