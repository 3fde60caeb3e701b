// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

/// Originals whose rows are gone for good. The transaction that takes the row notes the file: after a
/// crash between the two it is removed at the next open, before anything looks for files without a row.
struct PurgedFiles {
    let layout: LibraryLayout
    let database: DurableDatabase

    /// - Throws: what the file system or the database refused; what is left stays noted.
    func remove() throws {
        let files = try database.read { db in
            try Row.fetchAll(db, sql: "SELECT path, id FROM purged_file")
                .map { (path: $0[0] as String, id: $0[1] as String) }
        }
        for file in files {
            try removeIfThere(layout.original(file.path))
            if let id = UUID(uuidString: file.id) { try removeIfThere(layout.thumbnail(id)) }
            // Else the file could be back after a power cut that the note did not outlive.
            let folder = file.path.split(separator: "/").dropLast().joined(separator: "/")
            try DurableFile.synchronizeDirectory(layout.original(folder))
            try database.write { db in
                try db.execute(
                    sql: "DELETE FROM purged_file WHERE path = ?", arguments: [file.path])
            }
        }
    }

    private func removeIfThere(_ path: String) throws {
        if try FileTree.entry(path) != nil { try FileTree.remove(path) }
    }
}
