// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

/// The files of purged assets that are still to be removed. The transaction that deletes a row
/// records them. After a crash the next open removes them, before it looks for files without rows.
struct PurgedFiles {
    let layout: LibraryLayout
    let database: DurableDatabase

    private struct File {
        let path: String
        let id: String
        var folder: String { LibraryLayout.folder(of: path) }
    }

    /// Whether files of an asset are still to be removed.
    static func holds(_ id: UUID, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM purged_file WHERE id = ?")
        return try Int.fetchOne(statement, arguments: [id.text]) != nil
    }

    /// Removes the recorded files and their derived pictures. Files that cannot be removed, or
    /// belong to an asset again, stay recorded. Throws only errors of the database.
    func remove() throws {
        let files = try database.read { db in
            // An older Vitrine without these records may have adopted a file again.
            try Row.fetchAll(
                db,
                sql: """
                    SELECT path, id FROM purged_file
                    WHERE NOT EXISTS (SELECT 1 FROM asset WHERE asset.id = purged_file.id)
                    """
            ).map { File(path: $0[0], id: $0[1]) }
        }
        if files.isEmpty { return }
        let pictures = Dictionary(grouping: (try? FileTree.names(in: layout.pictures)) ?? []) {
            LibraryLayout.parse(derivedName: $0)
        }
        let unlinked = files.filter { file in
            let id = UUID(uuidString: file.id)
            let derived =
                [id.map(layout.thumbnail), id.map(layout.preview)].compactMap(\.self)
                + (id.flatMap { pictures[$0] } ?? []).map { "\(layout.pictures)/\($0)" }
            return ([layout.original(file.path)] + derived).allSatisfy(removeIfThere)
        }
        // Without this, a power cut could bring a file back after its record is deleted.
        let folders = Set(
            unlinked.map { layout.original($0.folder) }
                + [layout.thumbnails, layout.pictures, layout.previews])
        let settled = folders.filter(synchronizeIfThere)
        let done = unlinked.filter { settled.contains(layout.original($0.folder)) }
        try database.write { db in
            for file in done {
                try db.execute(
                    sql: "DELETE FROM purged_file WHERE path = ?", arguments: [file.path])
            }
        }
    }

    private func removeIfThere(_ path: String) -> Bool {
        do {
            if try FileTree.entry(path) != nil { try FileTree.remove(path) }
            return true
        } catch {
            return false
        }
    }

    private func synchronizeIfThere(_ folder: String) -> Bool {
        do {
            if try FileTree.entry(folder) != nil { try DurableFile.synchronizeDirectory(folder) }
            return true
        } catch {
            return false
        }
    }
}
