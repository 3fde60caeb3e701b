// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Hashing
internal import LinuxIO
internal import Store

/// Inspects single parts of a library and reports their problems. Blocks its thread.
struct LibraryInspector: Sendable {
    let layout: LibraryLayout
    let database: DurableDatabase

    // MARK: - Originals of assets

    /// Inspects an asset's original and RAW. `deep` reads the files and compares their hashes.
    func inspect(_ row: AssetRow, deep: Bool) -> [LibraryFinding] {
        row.files.compactMap { inspect($0, of: row.asset, deep: deep) }
            .filter { !(row.asset.isRemoteOnly && $0.kind == .missing) }
    }

    func inspect(_ file: StoredFile, of asset: Asset, deep: Bool) -> LibraryFinding? {
        let place = layout.original(file.path)
        func finding(
            _ kind: LibraryFinding.Kind, _ message: String, _ repair: LibraryFinding.Repair?
        )
            -> LibraryFinding
        {
            LibraryFinding(
                kind, asset: asset.sequence, path: "originals/\(file.path)",
                "asset \(asset.sequence): its \(file.name) \(message)", repair: repair)
        }
        do {
            guard let entry = try FileTree.entry(place) else {
                return finding(.missing, "is missing", nil)
            }
            guard entry.kind == .file else {
                return finding(.damaged, "is not a file", .quarantine)
            }
            guard Int64(entry.bytes) == file.bytes else {
                return finding(
                    .damaged, "has \(entry.bytes) bytes instead of \(file.bytes)", .quarantine)
            }
            guard deep else { return nil }
            let hash = hexadecimal(try OriginalFile.scan(place).sha256)
            guard hash == file.sha256 else {
                return finding(
                    .damaged, "has SHA-256 \(hash) instead of \(file.sha256)", .quarantine)
            }
            return nil
        } catch {
            // The file stays where it is because a later read may succeed.
            return finding(.damaged, "cannot be read: \(error)", nil)
        }
    }

    func row(_ sequence: Int64) throws -> AssetRow? {
        try database.read { db in try AssetRow.fetch(db, "WHERE sequence = ?", [sequence]).first }
    }

    // MARK: - Files

    /// Inspects a file in a day folder; `path` is `YYYY/MM/DD/name`.
    func inspect(original path: String) throws -> LibraryFinding? {
        let name = String(PathName(path).last)
        let place = "originals/\(path)"
        guard let entry = try FileTree.entry(layout.original(path)) else { return nil }
        guard let parsed = LibraryLayout.parse(originalName: name), entry.kind == .file else {
            return foreign(place, "does not belong to the library")
        }
        let isRaw = RawFormat(rawValue: parsed.fileExtension) != nil
        let (row, isPurged) = try database.read { db in
            (try AssetRow.fetch(db, of: parsed.id), try PurgedFiles.holds(parsed.id, db))
        }
        func orphan(_ what: String) -> LibraryFinding {
            LibraryFinding(
                .orphan, path: place, "\(place): \(what)",
                repair: entry.bytes > 0 ? .adopt : .quarantine)
        }
        guard let row else {
            if isPurged { return nil }
            return isRaw
                ? foreign(place, "a RAW without its photo")
                : orphan("an original that belongs to no asset")
        }
        if row.files.contains(where: { $0.path == path }) { return nil }
        let sequence = row.asset.sequence
        if isRaw, row.wants(rawAt: path) { return orphan("the RAW of asset \(sequence)") }
        return foreign(place, "has the id of asset \(sequence), but is not one of its files")
    }

    /// Inspects an entry of originals/ that is not in a day folder.
    func inspect(above path: String) throws -> LibraryFinding? {
        guard let entry = try FileTree.entry(layout.original(path)) else { return nil }
        let isOwn = entry.kind == .directory && Self.isDate(path)
        return isOwn ? nil : foreign("originals/\(path)", "does not belong to the library")
    }

    /// Whether a path is that of a year, month or day: `2026`, `2026/11` or `2026/11/22`.
    private static func isDate(_ path: String) -> Bool {
        let parts = PathName(path).components
        return parts.count <= 3
            && parts.enumerated().allSatisfy { depth, part in
                part.utf8.count == (depth == 0 ? 4 : 2)
                    && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }

    /// A file in incoming/ counts as being written for this long after its last change, in
    /// nanoseconds. Inspecting a video takes time.
    private static let longestWriting: Int64 = 3_600_000_000_000

    func inspect(incoming name: String) throws -> LibraryFinding? {
        let place = "incoming/\(name)"
        guard let entry = try FileTree.entry("\(layout.incoming)/\(name)") else { return nil }
        if let recording = LibraryLayout.parse(originalName: name),
            recording.fileExtension == LibraryLayout.recordingExtension
        {
            let isUnderWay = try database.read { db in
                try RecordingRow.fetch(recording.id, db) != nil
            }
            return isUnderWay
                ? nil : LibraryFinding(.leftover, path: place, "\(place): an unfinished recording")
        }
        guard name.hasSuffix(LibraryLayout.stagingSuffix) else {
            return foreign(place, "does not belong to the library")
        }
        if Clock.wall - entry.modified < Self.longestWriting { return nil }
        return LibraryFinding(.leftover, path: place, "\(place): an unfinished file")
    }

    /// Inspects a file or folder by its path in the library, which may come from another process.
    func inspect(path: String) throws -> LibraryFinding? {
        let parts = PathName(path).components
        guard !parts.contains(".."), PathName(parts.joined(separator: "/")) == PathName(path),
            !parts.isEmpty
        else { return nil }
        let rest = parts.dropFirst().joined(separator: "/")
        switch parts[0] {
        case "originals" where parts.count == 5 && Self.isDate(parts[1...3].joined(separator: "/")):
            return try inspect(original: rest)
        case "originals" where parts.count < 5: return try inspect(above: rest)
        case "incoming" where parts.count == 2: return try inspect(incoming: rest)
        case "derived" where parts.count == 3 && LibraryLayout.derivedFolders.contains(parts[1]):
            return try inspect(derived: rest)
        case "derived" where parts.count == 2: return try inspect(inDerived: rest)
        case "snapshots" where parts.count == 2: return try inspect(inSnapshots: rest)
        default: return parts.count == 1 ? try inspect(top: path) : nil
        }
    }

    /// The library's own entries in its folder, and the file system's.
    private static let folders: Set<String> = [
        "originals", "incoming", "derived", "snapshots", "quarantine", "salvage", "lock",
        "lost+found",
    ]

    /// Inspects an entry of the library's folder itself.
    func inspect(top name: String) throws -> LibraryFinding? {
        // SQLite's own files beside a database begin with the database's name.
        let databases = [layout.database, layout.restoredDatabase].map {
            String($0.dropFirst(layout.root.utf8.count + 1))
        }
        let isOwn = Self.folders.contains(name) || databases.contains(where: name.hasPrefix)
        return isOwn ? nil : try foreignIfThere(name)
    }

    func inspect(inDerived name: String) throws -> LibraryFinding? {
        let isOwn =
            LibraryLayout.derivedFolders.contains(name) || name.hasPrefix("search.sqlite")
        return isOwn ? nil : try foreignIfThere("derived/\(name)")
    }

    func inspect(inSnapshots name: String) throws -> LibraryFinding? {
        SnapshotFolder.isOwn(name) ? nil : try foreignIfThere("snapshots/\(name)")
    }

    private func foreignIfThere(_ place: String) throws -> LibraryFinding? {
        try FileTree.entry("\(layout.root)/\(place)").map { _ in
            foreign(place, "does not belong to the library")
        }
    }

    /// Returns a finding for each name in a folder that is not UTF-8 and so cannot be a path here.
    /// `place` is the folder, relative to the library's; it is empty for the library's own.
    func unreadableNames(in place: String) throws -> [LibraryFinding] {
        try FileTree.namesNotUTF8(in: "\(layout.root)/\(place)").map {
            LibraryFinding(
                .foreign,
                "\(place.isEmpty ? "" : "\(place)/")\($0): its name is not UTF-8; "
                    + "move it away by hand")
        }
    }

    private func foreign(_ place: String, _ what: String) -> LibraryFinding {
        LibraryFinding(.foreign, path: place, "\(place): \(what)", repair: .quarantine)
    }

    /// Inspects a file in derived/thumbnails/ or derived/pictures/; `path` is `FOLDER/name`.
    func inspect(derived path: String) throws -> LibraryFinding? {
        let place = "derived/\(path)"
        let file = "\(layout.root)/\(place)"
        guard let entry = try FileTree.entry(file) else { return nil }
        let name = String(PathName(path).last)
        guard let id = LibraryLayout.parse(derivedName: name) else {
            return foreign(place, "does not belong to the library")
        }
        guard entry.kind == .file else { return foreign(place, "not a file") }
        let isKnown = try database.read { db in try AssetRow.isThere(db, id) }
        let complaint =
            isKnown
            ? DerivedFile.isWhole(file) ? nil : "not a complete picture"
            : "belongs to no asset"
        return complaint.map {
            LibraryFinding(.thumbnail, path: place, "\(place): \($0)", repair: .remake)
        }
    }

    // MARK: - The database

    /// Runs SQLite's check of the database. `deep` compares the indexes with their tables too.
    func inspectDatabase(deep: Bool) -> [LibraryFinding] {
        do {
            return try database.read { db in
                var complaints = try String.fetchAll(
                    db, sql: "PRAGMA \(deep ? "integrity_check" : "quick_check")(20)")
                if complaints == ["ok"] { complaints = [] }
                return complaints.map { LibraryFinding(.database, "database: \($0)") }
            }
        } catch {
            return [LibraryFinding(.database, "\(error)")]
        }
    }

    func inspectCounts() throws -> [LibraryFinding] {
        try database.read { db in
            try CountCheck.all.compactMap { counts in
                guard try counts.areWrong(db) else { return nil }
                return LibraryFinding(.count, message(counts), repair: .recount)
            }
        }
    }

    func message(_ counts: CountCheck) -> String {
        "database: \(counts.complaint)"
    }
}
