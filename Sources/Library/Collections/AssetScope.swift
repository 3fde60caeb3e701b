// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// The part of the library that a fetch searches.
enum AssetScope: Sendable {
    case library
    /// The assets of an album, by default in the album's order.
    case album(number: Int64)
    /// The assets with a keyword, given in folded form.
    case keyword(String)
    /// The assets that no remote has yet.
    case outbox

    /// The SQL after `FROM asset`.
    var join: String {
        switch self {
        case .library: ""
        case .album: "JOIN album_asset ON album_asset.asset = sequence"
        case .keyword: "JOIN asset_keyword ON asset_keyword.asset = sequence"
        case .outbox: "JOIN outbox ON outbox.asset = sequence"
        }
    }

    var condition: Condition? {
        switch self {
        case .library, .outbox: nil
        case .album(let number): Condition("album = ?", [number.databaseValue])
        case .keyword(let folded): Condition("folded = ?", [folded.databaseValue])
        }
    }

    /// The SQL for the sequence, in the table that the scope reads in this order.
    var sequence: String {
        switch self {
        case .library, .album, .outbox: "sequence"
        case .keyword: "asset_keyword.asset"
        }
    }
}

extension AssetCollection.Identifier {
    /// Returns the part of the library that this collection is now, and the options for it.
    /// - Throws: `notFound` if there is none; `invalidValue` for folders, which hold no assets.
    func resolve(
        _ db: Database, _ options: FetchOptions
    ) throws -> (options: FetchOptions, scope: AssetScope) {
        switch self {
        case .folder:
            throw LibraryError(.invalidValue, "\(text): a folder holds albums, not assets")
        case .album:
            return (options, .album(number: try CollectionRow.fetch(db, self).number))
        case .smartAlbum(let album):
            var options = options
            if album == .hidden {
                options.includesHidden = true
                options.includesAllBurstMembers = true
            }
            if album == .recentlyDeleted {
                options.includesHidden = true
                options.includesAllBurstMembers = true
                options.includesDeleted = true
            }
            return (
                options.narrowed(to: album.filter, sortedBy: album.sortDescriptors),
                album == .notYetSynced ? .outbox : .library
            )
        case .moment(let first):
            guard let moment = try Moments.moment(db, beginningWith: first) else {
                throw LibraryError(.notFound, "\(text): no moment begins with this asset")
            }
            let filter: AssetFilter =
                AssetFilter.createdAt >= moment.start && AssetFilter.createdAt <= moment.end
            return (
                options.narrowed(to: filter, sortedBy: [AssetSortDescriptor(.createdAt)]), .library
            )
        case .session(let id):
            let isThere = try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM session WHERE id = ?)"),
                arguments: [id])
            guard isThere == true else {
                throw LibraryError(.notFound, "\(text): there is no photo of this session")
            }
            return (options.narrowed(to: AssetFilter.sessionID == id, sortedBy: []), .library)
        }
    }
}

extension FetchOptions {
    fileprivate func narrowed(
        to filter: AssetFilter?, sortedBy order: [AssetSortDescriptor]
    ) -> FetchOptions {
        var options = self
        let filters = [filter, self.filter].compactMap(\.self)
        options.filter = filters.count > 1 ? .all(filters) : filters.first
        if sortDescriptors.isEmpty { options.sortDescriptors = order }
        return options
    }
}
