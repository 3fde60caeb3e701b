// SPDX-License-Identifier: GPL-3.0-or-later

package import FoundationEssentials
internal import GRDB
internal import Imaging
package import LinuxIO
internal import Media

/// An original goes here once the remote is proven to have it:
///
///     picture for the screen is safe → row says "only at the remote" → file removed
///     file brought back and checked → file in its place → row says "here"
extension AssetLibrary {
    /// Removes the originals and RAWs of those assets that may still go. A picture of each stays.
    /// - Returns: The assets whose originals are gone.
    func evict(
        _ due: ArraySlice<RetentionPlan.Due>, by plan: RetentionPlan,
        _ foreign: (any ForeignPictures)?
    ) async throws(LibraryError) -> [RetentionReport.Item] {
        for one in due {
            let row = try databaseRead { db in
                try AssetRow.fetch(db, "WHERE sequence = ?", [one.sequence]).first
            }
            if let row { try await keepPreview(of: row, foreign) }
        }
        try requireWritable()
        let now = Clock.wall
        let items = try change(from: .retention) { db in
            var transaction = ChangeTransaction(db, .retention, now)
            var items: [RetentionReport.Item] = []
            var freed: Int64 = 0
            for one in due {
                guard let item = try plan.item(db, one, freed: freed) else { continue }
                _ = try transaction.execute(
                    """
                    INSERT INTO evicted_original (asset, remote, evicted_at)
                        SELECT ?, number, ? FROM sync_remote WHERE name = ?
                    """,
                    [
                        item.sequence.databaseValue, now.databaseValue,
                        (plan.policy.remote?.name).databaseValue,
                    ])
                try transaction.log(.updated, asset: item.sequence)
                items.append(item)
                freed += item.bytes
            }
            return items
        }
        try removeEvicted()
        return items
    }

    /// Removes the files of originals that only the remote has according to their rows, also those
    /// that a crash or an error has left.
    func removeEvicted() throws(LibraryError) {
        let rows = try databaseRead { db in
            try AssetRow.fetch(
                db,
                """
                JOIN evicted_original ON evicted_original.asset = sequence AND is_removed = 0
                """)
        }
        for row in rows {
            do {
                for file in row.files where try FileTree.entry(layout.original(file.path)) != nil {
                    try FileTree.remove(layout.original(file.path))
                }
            } catch {
                // The next run tries again.
                continue
            }
            let sequence = row.asset.sequence
            try databaseWrite { db in
                try db.execute(
                    sql: "UPDATE evicted_original SET is_removed = 1 WHERE asset = ?",
                    arguments: [sequence])
            }
        }
    }

    /// The size of the picture that stays: enough for the screens of kiosks.
    static let previewSize = Dimensions(width: 1920, height: 1920)

    /// Makes the picture that stays. If none can be made, the thumbnail stays alone.
    private func keepPreview(
        of row: AssetRow, _ foreign: (any ForeignPictures)?
    ) async throws(LibraryError) {
        let (asset, layout) = (row.asset, layout)
        guard DerivedFile.read(layout.preview(asset.id)) == nil else { return }
        let path = layout.original(row.path)
        var picture: [UInt8]?
        if asset.isJPEG {
            picture = try? await reader.look(at: path) {
                try OriginalFile.content(of: path, "asset \(asset.id.text)")
            }
        } else if asset.mediaType != .audio {
            picture = try? await foreign?.jpeg(of: path, "asset \(asset.id.text)")
        }
        guard let picture else { return }
        do {
            try await reader.look(at: nil) {
                try Self.write(previewOf: picture, asset.id, in: layout)
            }
        } catch let error as SystemCallError where !error.isFull {
            throw LibraryError("asset \(asset.id.text)", error)
        } catch {
            // A picture that cannot be decoded has no preview, and a full disk needs the room.
        }
    }

    private static func write(
        previewOf picture: [UInt8], _ id: UUID, in layout: LibraryLayout
    ) throws {
        let small = try JPEGEncoder().thumbnail(
            of: picture, decoder: JPEGDecoder(), fitting: previewSize, quality: 85)
        Thumbnail.makeIfMissing(of: small, id, in: layout)
        // Version 0.1.0 does not know the folder, so that only the first eviction makes it.
        try FileTree.makeDirectory(layout.previews)
        try FileTree.remove(layout.preview(id))
        // The original goes for this picture's sake, so it survives a power cut.
        try DurableFile.write([small], to: layout.preview(id), staging: layout.staging(UUID()))
    }

    // MARK: - Back again

    package nonisolated func returningObjects(
        of id: String, at remote: SyncRemote
    ) async throws(LibraryError) -> SyncReturn {
        let row = try await row(id: id)
        guard row.asset.isRemoteOnly else { return SyncReturn(asset: row.asset.id, objects: []) }
        let holder = try await reading { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT name FROM evicted_original JOIN sync_remote ON number = remote
                    WHERE asset = ?
                    """, arguments: [row.asset.sequence])
        }
        guard holder == remote.name else {
            throw LibraryError(
                .notFound,
                "asset \(row.asset.id.text): its original is at \(holder ?? "another remote"), "
                    + "and [sync] names \(remote.name)")
        }
        return SyncReturn(
            asset: row.asset.id,
            objects: try await syncEntries(
                of: remote, matching: "asset = ?2 AND kind IN ('original', 'alternate')",
                [row.asset.sequence]))
    }

    package nonisolated func putBack(
        _ path: String, sha256: String, of asset: UUID
    ) async throws(LibraryError) {
        let id = UUID()
        do {
            _ = try stagingFolder().copy(path, as: id)
        } catch {
            throw error as? LibraryError
                ?? LibraryError(.io, "asset \(asset.text): \(error)", underlying: error)
        }
        try await putBack(staged: id, sha256: sha256, of: asset)
    }

    /// Puts a file that another process has opened back, like ``putBack(_:sha256:of:)``.
    package nonisolated func putBack(
        _ passed: PassedFile, sha256: String, of asset: UUID
    ) async throws(LibraryError) {
        try await requireWritable()
        let id = UUID()
        try await stage(passed, as: id)
        try await putBack(staged: id, sha256: sha256, of: asset)
    }

    /// Puts a file of the ``stagingFolder()`` back, like ``putBack(_:sha256:of:)``. The file is
    /// moved or removed.
    package nonisolated func putBack(
        staged: UUID, sha256: String, of asset: UUID
    ) async throws(LibraryError) {
        do throws(LibraryError) {
            _ = try await stagedContent(staged, sha256: sha256)
            try await putBackChecked(staged, sha256, of: asset)
        } catch {
            await discard([staged])
            throw error
        }
    }

    private func putBackChecked(
        _ staged: UUID, _ sha256: String, of asset: UUID
    ) throws(LibraryError) {
        try requireWritable()
        guard let row = try row(of: asset) else {
            throw LibraryError(.notFound, "asset \(asset.text) does not exist")
        }
        guard let file = row.files.first(where: { $0.sha256 == sha256 }) else {
            throw LibraryError(.damaged, "asset \(asset.text): the file is not its original")
        }
        try putBack(staged, as: file)
        try noteReturn(of: row)
    }

    /// Notes that an asset's original is here again, if all its files are.
    func noteReturn(of row: AssetRow) throws(LibraryError) {
        guard row.asset.isRemoteOnly else { return }
        do {
            for file in row.files {
                guard let entry = try FileTree.entry(layout.original(file.path)),
                    Int64(entry.bytes) == file.bytes
                else { return }
            }
            let folder = layout.original(LibraryLayout.folder(of: row.path))
            try DurableFile.synchronizeDirectory(folder)
        } catch {
            throw LibraryError("asset \(row.asset.id.text)", error)
        }
        try change(from: .import) { db in
            var transaction = ChangeTransaction(db, .import, Clock.wall)
            _ = try transaction.execute(
                "DELETE FROM evicted_original WHERE asset = ?", [row.asset.sequence])
            try transaction.log(.updated, asset: row.asset.sequence)
        }
        try? FileTree.remove(layout.preview(row.asset.id))
    }
}
