// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB

extension ChangeTransaction {
    private static let longestTitle = 200
    /// The maximum number of nested folders.
    private static let deepest = 16

    mutating func create(
        _ id: AssetCollection.Identifier, _ title: String, in folder: AssetCollection.Identifier?
    ) throws {
        let type = id.type
        guard let uuid = id.uuid else {
            throw LibraryError(.invalidValue, "\(id.text): only albums and folders can be created")
        }
        guard
            try Int.fetchOne(
                db, sql: "SELECT 1 FROM collection WHERE id = ?", arguments: [uuid.text]) == nil
        else { throw LibraryError(.conflict, "\(id.text): this id is already in use") }
        let number = try folder.map {
            try folderNumber($0, for: nil, height: type == .folder ? 1 : 0)
        }
        let title = try Self.checked(title: title)
        _ = try execute(
            """
            INSERT INTO collection (id, type, folder, position, title, created_at, modified_at)
            VALUES (?1, ?2, ?3,
                (SELECT coalesce(max(position), -1) + 1 FROM collection
                    WHERE folder IS ?3), ?4, ?5, ?5)
            """, [uuid.text, type.rawValue, number, title, now])
        try log(.inserted, id)
        if let folder { try log(.updated, folder) }
    }

    mutating func change(
        _ id: AssetCollection.Identifier, _ change: CollectionChange
    ) throws {
        let row = try CollectionRow.fetch(db, id)
        switch change {
        case .rename(let title): try rename(row, try Self.checked(title: title))
        case .move(let folder, let place): try move(row, into: folder, at: place)
        case .delete(let recursively): try delete(row, recursively: recursively)
        case .addAssets(let assets, let place):
            let order = try order(of: row)
            if try order.insert(Self.sequences(db, assets), at: place) { try note(row) }
        case .removeAssets(let assets):
            let order = try order(of: row)
            if try order.remove(Self.sequences(db, assets)) { try note(row) }
        case .moveAssets(let assets, let place):
            let order = try order(of: row)
            guard let isMoved = try order.move(Self.sequences(db, assets), to: place) else {
                throw LibraryError(.notFound, "\(id.text): not all of these assets are in it")
            }
            if isMoved { try note(row) }
        }
    }

    // MARK: - The album or folder itself

    private mutating func rename(_ row: CollectionRow, _ title: String) throws {
        guard title != row.title else { return }
        _ = try execute(
            "UPDATE collection SET title = ?, modified_at = ? WHERE number = ?",
            [title, now, row.number])
        try log(.updated, row.id)
    }

    private mutating func move(
        _ row: CollectionRow, into folder: AssetCollection.Identifier?, at place: Int?
    ) throws {
        let target = try folder.map { try folderNumber($0, for: row, height: height(of: row)) }
        let siblings = try Int64.fetchAll(
            db,
            sql: """
                SELECT number FROM collection WHERE folder IS ? AND number <> ?
                ORDER BY position, number
                """, arguments: [target, row.number])
        var isMoved = try execute(
            "UPDATE collection SET folder = ?1 WHERE number = ?2 AND folder IS NOT ?1",
            [target, row.number])
        for (position, number) in siblings.inserting([row.number], at: place).enumerated() {
            let isOther = try execute(
                "UPDATE collection SET position = ?1 WHERE number = ?2 AND position <> ?1",
                [position, number])
            isMoved = isMoved || isOther
        }
        guard isMoved else { return }
        try note(row)
        if let former = row.folder, former != target { try log(.updated, identifier(of: former)) }
        if let folder { try log(.updated, folder) }
    }

    private mutating func delete(_ row: CollectionRow, recursively: Bool) throws {
        let contents = try CollectionRow.fetch(db, "folder = ?", [row.number])
        guard contents.isEmpty || recursively else {
            throw LibraryError(
                .notEmpty, "\(row.id.text): the folder holds \(contents.count) albums and folders")
        }
        for content in contents { try delete(content, recursively: true) }
        _ = try execute("DELETE FROM collection WHERE number = ?", [row.number])
        try log(.deleted, row.id)
        if let folder = row.folder { try log(.updated, identifier(of: folder)) }
    }

    private func identifier(of folder: Int64) throws -> AssetCollection.Identifier {
        guard let row = try CollectionRow.fetch(db, "number = ?", [folder]).first else {
            throw LibraryError(.damaged, "collection \(folder) does not exist")
        }
        return row.id
    }

    /// Returns the levels of folders in this one, itself included; 0 for an album.
    private func height(of row: CollectionRow) throws -> Int {
        try Int.fetchOne(
            db,
            sql: """
                WITH RECURSIVE below (number, height) AS (
                    SELECT number, 1 FROM collection WHERE number = ? AND type = 'folder'
                    UNION ALL
                    SELECT collection.number, height + 1 FROM collection JOIN below
                        ON folder = below.number WHERE type = 'folder')
                SELECT coalesce(max(height), 0) FROM below
                """, arguments: [row.number]) ?? 0
    }

    /// Returns a folder's number if it can contain `height` more levels of folders.
    private func folderNumber(
        _ folder: AssetCollection.Identifier, for moving: CollectionRow?, height: Int
    ) throws -> Int64 {
        guard case .folder = folder else {
            throw LibraryError(.invalidValue, "\(folder.text): not a folder")
        }
        let row = try CollectionRow.fetch(db, folder)
        var above: CollectionRow? = row
        var depth = 1
        while let here = above {
            guard here.number != moving?.number else {
                throw LibraryError(.invalidValue, "\(here.id.text): a folder cannot be in itself")
            }
            guard depth + height <= Self.deepest else {
                throw LibraryError(
                    .invalidValue, "\(folder.text): allowed: \(Self.deepest) nested folders")
            }
            depth += 1
            above = try here.folder.flatMap {
                try CollectionRow.fetch(db, "number = ?", [$0]).first
            }
        }
        return row.number
    }

    private static func checked(title: String) throws(LibraryError) -> String {
        let trimmed = title.trimmed
        guard (1...longestTitle).contains(trimmed.count), trimmed.utf8.count <= 4 * longestTitle,
            trimmed.isPlainLine
        else {
            throw LibraryError(
                .invalidValue,
                "title of \(title.count) characters, allowed: 1 to \(longestTitle) on one line, "
                    + "without control characters")
        }
        return trimmed
    }

    // MARK: - The assets of an album

    private func order(of row: CollectionRow) throws -> AlbumOrder {
        guard case .album = row.id else {
            throw LibraryError(.invalidValue, "\(row.id.text): a folder holds albums, not assets")
        }
        return AlbumOrder(db: db, album: row.number)
    }

    private static func sequences(_ db: Database, _ assets: [UUID]) throws -> [Int64] {
        try assets.map { try ChangedAsset(db, $0).sequence }
    }

    /// Records that the album or folder has changed.
    private mutating func note(_ row: CollectionRow) throws {
        _ = try execute(
            "UPDATE collection SET modified_at = ? WHERE number = ?", [now, row.number])
        try log(.updated, row.id)
    }
}

extension AssetCollection.Identifier {
    /// The id of an album or folder; otherwise `nil`.
    var uuid: UUID? {
        switch self {
        case .album(let id), .folder(let id): id
        default: nil
        }
    }
}

extension Array {
    /// Returns the array with elements inserted at an index; at the end if `nil` or beyond it.
    fileprivate func inserting(_ new: [Element], at place: Int?) -> [Element] {
        let place = Swift.min(Swift.max(place ?? count, 0), count)
        return Array(self[..<place]) + new + Array(self[place...])
    }
}
