// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

/// A file in a day folder that has no row.
struct Orphan {
    let path: String
    let id: UUID
    let fileExtension: String
    let bytes: Int64
    let modified: WallTime
    var isRaw: Bool { RawFormat(rawValue: fileExtension) != nil }
}

/// Finds the library's own files without a row among the files of a day folder.
struct OrphanSearch {
    let layout: LibraryLayout
    let database: DurableDatabase
    /// Files that are not the library's, below `originals/`.
    private(set) var foreign: [String] = []

    init(layout: LibraryLayout, database: DurableDatabase) {
        self.layout = layout
        self.database = database
    }

    /// Returns the files without a row: photos first, then RAWs.
    mutating func orphans(among names: Set<PathName>, day: String) throws -> [Orphan] {
        var found: [Orphan] = []
        for name in names.sorted().map(\.text) {
            let path = "\(day)/\(name)"
            guard let parsed = LibraryLayout.parse(originalName: name),
                let entry = try FileTree.entry(layout.original(path)),
                entry.kind == .file, entry.bytes > 0
            else {
                foreign.append(path)
                continue
            }
            found.append(
                Orphan(
                    path: path, id: parsed.id, fileExtension: parsed.fileExtension,
                    bytes: Int64(entry.bytes), modified: LibraryRecovery.date(of: entry, in: day)))
        }
        let photos = try unknownPhotos(found.filter { !$0.isRaw })
        let raws = try wantedRaws(found.filter(\.isRaw), of: Set(photos.map(\.id)))
        func inOrder(_ files: [Orphan]) -> [Orphan] {
            files.sorted {
                ($0.modified.nanoseconds, $0.path) < ($1.modified.nanoseconds, $1.path)
            }
        }
        return inOrder(photos) + inOrder(raws)
    }

    /// Looks each id up alone: reading all rows would take longer in a larger library.
    private func unknownPhotos(_ found: [Orphan]) throws -> [Orphan] {
        try database.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM asset WHERE id = ?1 UNION ALL
                    SELECT 1 FROM purged_file WHERE id = ?1
                    """)
            var ids = Set<UUID>()
            return try found.filter {
                let isKnown = try Int.fetchOne(statement, arguments: [$0.id.text]) != nil
                return !isKnown && ids.insert($0.id).inserted
            }
        }
    }

    /// Returns the RAWs whose photo has none and is in the library or among `photos`.
    private mutating func wantedRaws(
        _ found: [Orphan], of photos: Set<UUID>
    ) throws -> [Orphan] {
        var wanted: [Orphan] = []
        for raw in found {
            if photos.contains(raw.id) {
                wanted.append(raw)
                continue
            }
            let (row, isPurged) = try database.read { db in
                (try AssetRow.fetch(db, of: raw.id), try PurgedFiles.holds(raw.id, db))
            }
            guard let row else {
                if !isPurged { foreign.append(raw.path) }
                continue
            }
            if row.wants(rawAt: raw.path) { wanted.append(raw) }
        }
        return wanted
    }
}
