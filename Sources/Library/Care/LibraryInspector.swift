// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

/// Looks at one thing of a library at a time, and says what is wrong with it. Blocks its thread.
struct LibraryInspector: Sendable {
    let layout: LibraryLayout
    let database: DurableDatabase

    // MARK: - Originals of assets

    /// - Parameter deep: Reads the files and compares their hashes.
    func inspect(_ row: AssetRow, deep: Bool) -> [LibraryFinding] {
        row.files.compactMap { inspect($0, of: row.asset, deep: deep) }
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
                return finding(.missing, "is gone", nil)
            }
            guard entry.kind == .file else {
                return finding(.damaged, "is no file", .quarantine)
            }
            guard Int64(entry.bytes) == file.bytes else {
                return finding(
                    .damaged, "has \(entry.bytes) bytes, stored were \(file.bytes)", .quarantine)
            }
            guard deep else { return nil }
            let hash = hexadecimal(try OriginalFile.scan(place).sha256)
            guard hash == file.sha256 else {
                return finding(
                    .damaged, "has SHA-256 \(hash), stored was \(file.sha256)", .quarantine)
            }
            return nil
        } catch {
            // The medium may give it another time: it stays where it is.
            return finding(.damaged, "cannot be read: \(error)", nil)
        }
    }

    /// The row of an asset; `nil` when there is none any more.
    func row(_ sequence: Int64) throws -> AssetRow? {
        try database.read { db in try AssetRow.fetch(db, "WHERE sequence = ?", [sequence]).first }
    }

    // MARK: - Files

    /// Something in a day's folder, `YYYY/MM/DD/name`.
    func inspect(original path: String) throws -> LibraryFinding? {
        let name = String(PathName(path).last)
        let place = "originals/\(path)"
        guard let entry = try FileTree.entry(layout.original(path)) else { return nil }
        guard let parsed = LibraryLayout.parse(originalName: name), entry.kind == .file else {
            return foreign(place, "not the library's")
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
        return foreign(place, "has the id of asset \(sequence), and is none of its files")
    }

    /// Something in originals/ that is in no day's folder.
    func inspect(above path: String) throws -> LibraryFinding? {
        guard let entry = try FileTree.entry(layout.original(path)) else { return nil }
        let isOwn = entry.kind == .directory && Self.isDate(path)
        return isOwn ? nil : foreign("originals/\(path)", "not the library's")
    }

    /// `2026`, `2026/11` or `2026/11/22`.
    private static func isDate(_ path: String) -> Bool {
        let parts = PathName(path).components
        return parts.count <= 3
            && parts.enumerated().allSatisfy { depth, part in
                part.utf8.count == (depth == 0 ? 4 : 2)
                    && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }

    /// What is written in incoming/ is under way for so long, in nanoseconds: looking at a video takes its time.
    private static let longestWriting: Int64 = 3_600_000_000_000

    /// Something in incoming/.
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
                ? nil : LibraryFinding(.leftover, path: place, "\(place): was being recorded")
        }
        guard name.hasSuffix(LibraryLayout.stagingSuffix) else {
            return foreign(place, "not the library's")
        }
        if Clock.wall - entry.modified < Self.longestWriting { return nil }
        return LibraryFinding(.leftover, path: place, "\(place): was being written")
    }

    /// Something below the library's folder, by its whole path there, which may come from another process.
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
        case "derived" where parts.count == 3 && ["thumbnails", "pictures"].contains(parts[1]):
            return try inspect(derived: rest)
        case "derived" where parts.count == 2: return try inspect(inDerived: rest)
        case "snapshots" where parts.count == 2: return try inspect(inSnapshots: rest)
        default: return parts.count == 1 ? try inspect(top: path) : nil
        }
    }

    /// The library's own, and what a file system has at its top.
    private static let folders: Set<String> = [
        "originals", "incoming", "derived", "snapshots", "quarantine", "salvage", "lock",
        "lost+found",
    ]

    /// Something in the library's folder itself.
    func inspect(top name: String) throws -> LibraryFinding? {
        // SQLite has files of its own beside these.
        let databases = [layout.database, layout.restoredDatabase].map {
            String($0.dropFirst(layout.root.utf8.count + 1))
        }
        let isOwn = Self.folders.contains(name) || databases.contains(where: name.hasPrefix)
        return isOwn ? nil : try foreignIfThere(name)
    }

    func inspect(inDerived name: String) throws -> LibraryFinding? {
        let isOwn = ["thumbnails", "pictures"].contains(name) || name.hasPrefix("search.sqlite")
        return isOwn ? nil : try foreignIfThere("derived/\(name)")
    }

    func inspect(inSnapshots name: String) throws -> LibraryFinding? {
        SnapshotFolder.isOwn(name) ? nil : try foreignIfThere("snapshots/\(name)")
    }

    private func foreignIfThere(_ place: String) throws -> LibraryFinding? {
        try FileTree.entry("\(layout.root)/\(place)").map { _ in
            foreign(place, "not the library's")
        }
    }

    /// What bears names that nothing here can call it by.
    ///
    /// - Parameter place: A folder below the library's; empty for that itself.
    func unreadableNames(in place: String) throws -> [LibraryFinding] {
        try FileTree.namesNotUTF8(in: "\(layout.root)/\(place)").map {
            LibraryFinding(
                .foreign,
                "\(place.isEmpty ? "" : "\(place)/")\($0): its name is not UTF-8; move it away by hand"
            )
        }
    }

    private func foreign(_ place: String, _ what: String) -> LibraryFinding {
        LibraryFinding(.foreign, path: place, "\(place): \(what)", repair: .quarantine)
    }

    /// A file in derived/thumbnails/ or derived/pictures/, `FOLDER/name`.
    func inspect(derived path: String) throws -> LibraryFinding? {
        let place = "derived/\(path)"
        let file = "\(layout.root)/\(place)"
        guard let entry = try FileTree.entry(file) else { return nil }
        let name = String(PathName(path).last)
        guard let id = LibraryLayout.parse(derivedName: name) else {
            return foreign(place, "not the library's")
        }
        guard entry.kind == .file else { return foreign(place, "no file") }
        let isKnown = try database.read { db in try AssetRow.isThere(db, id) }
        let complaint =
            isKnown ? DerivedFile.isWhole(file) ? nil : "not a whole picture" : "no asset's"
        return complaint.map {
            LibraryFinding(.thumbnail, path: place, "\(place): \($0)", repair: .remake)
        }
    }

    // MARK: - The database

    /// - Parameter deep: Also whether indexes and tables agree.
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
            try KeptCounts.all.compactMap { counts in
                guard try counts.areWrong(db) else { return nil }
                return LibraryFinding(.count, message(counts), repair: .recount)
            }
        }
    }

    func message(_ counts: KeptCounts) -> String {
        "database: \(counts.complaint)"
    }
}
