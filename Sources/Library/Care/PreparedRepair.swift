// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Hashing
internal import LinuxIO
internal import Store

/// A repair whose slow checks are done. It is finished between two changes of the library.
struct PreparedRepair: Sendable {
    enum Action: Sendable {
        case recount(CountCheck)
        /// Removes a thumbnail or another derived picture.
        case remove(path: String)
        case quarantine(path: String)
        case adopt(NewAsset)
        case attach(NewAlternate)
        case restore(StoredFile, from: String)
    }

    let finding: LibraryFinding
    let action: Action
    /// The examined paths, relative to the library's folder, and what was there at the time.
    let seen: [PathName: FileTree.Entry?]
}

extension LibraryInspector {
    /// Returns the finding as it is now; `nil` if the problem is gone.
    func again(_ finding: LibraryFinding) throws -> LibraryFinding? {
        switch finding.kind {
        case .database: return finding
        case .count:
            guard let counts = counts(finding) else { return nil }
            return try database.read { db in try counts.areWrong(db) } ? finding : nil
        case .missing, .damaged:
            guard let row = try finding.asset.flatMap(row), let file = row.file(of: finding) else {
                return nil
            }
            let now = inspect(file, of: row.asset, deep: finding.kind == .damaged)
            return now?.kind == finding.kind ? now : nil
        case .foreign where finding.path == nil: return finding
        case .orphan, .foreign, .thumbnail:
            let now = try finding.path.flatMap(inspect(path:))
            return now?.kind == finding.kind ? now : nil
        case .leftover: return try finding.path.flatMap(inspect(path:))
        }
    }

    /// Whether the problem still exists, by a quick check: nothing is counted, and no original is
    /// read, since originals never change.
    func isStillSo(_ finding: LibraryFinding) throws -> Bool {
        switch finding.kind {
        case .database, .count, .damaged: true
        default: try again(finding) != nil
        }
    }

    private func counts(_ finding: LibraryFinding) -> CountCheck? {
        CountCheck.all.first { message($0) == finding.message }
    }

    // MARK: - Preparing

    /// Prepares a repair. Takes as long as reading the finding's file. Returns `nil` if the problem
    /// is gone or the repair no longer fits it.
    func prepare(
        _ repair: LibraryFinding.Repair, of finding: LibraryFinding
    ) throws -> PreparedRepair? {
        // Reads these first, so that a change during the inspection is noticed.
        var seen = try entries([finding.path])
        guard let now = try again(finding) else { return nil }
        var action: PreparedRepair.Action?
        switch repair {
        case .recount: action = counts(now).map { .recount($0) }
        case .remake where now.kind == .thumbnail: action = now.path.map { .remove(path: $0) }
        case .quarantine where now.repair == .quarantine:
            action = now.path.map { .quarantine(path: $0) }
        case .adopt where now.repair == .adopt: action = try now.path.map(adoption)
        case .restore:
            guard let source = finding.source,
                let file = try finding.asset.flatMap(row)?.file(of: finding)
            else { break }
            seen.merge(try entries([source, "originals/\(file.path)"])) { first, _ in first }
            try requireCopy(of: file, source)
            action = .restore(file, from: source)
        default: break
        }
        return action.map { PreparedRepair(finding: now, action: $0, seen: seen) }
    }

    private func entries(_ paths: [String?]) throws -> [PathName: FileTree.Entry?] {
        var entries: [PathName: FileTree.Entry?] = [:]
        for case let path? in paths {
            entries.updateValue(
                try FileTree.entry("\(layout.root)/\(path)"), forKey: PathName(path))
        }
        return entries
    }

    /// Returns the action that makes an asset of an original, or attaches a RAW.
    private func adoption(_ place: String) throws -> PreparedRepair.Action {
        let path = PathName(place).components.dropFirst().joined(separator: "/")
        guard let parsed = LibraryLayout.parse(originalName: String(PathName(path).last)),
            let entry = try FileTree.entry(layout.original(path))
        else { throw LibraryError(.invalidValue, "\(place): not an original") }
        let content = try OriginalFile.scan(layout.original(path))
        if RawFormat(rawValue: parsed.fileExtension) != nil {
            return .attach(
                NewAlternate(
                    asset: parsed.id, fileExtension: parsed.fileExtension, bytes: content.bytes,
                    sha256: content.sha256))
        }
        return .adopt(
            NewAsset(
                adopting: content, id: parsed.id, path: path,
                fileExtension: parsed.fileExtension,
                modified: LibraryRecovery.date(of: entry, in: LibraryLayout.folder(of: path))))
    }

    /// Throws unless `source` has the content that was stored. Accepts no path outside originals/
    /// and quarantine/: closing the database here would drop its locks (see `StoreError`).
    private func requireCopy(of file: StoredFile, _ source: String) throws {
        let folders = PathName(source).components.dropLast()
        guard ["originals", "quarantine"].contains(folders.first), !folders.contains("..") else {
            throw LibraryError(.invalidValue, "\(source): not in originals/ or quarantine/")
        }
        let copy = try OriginalFile.scan("\(layout.root)/\(source)")
        guard hexadecimal(copy.sha256) == file.sha256 else {
            throw LibraryError(.damaged, "\(source): its content is not what was stored, either")
        }
    }

    func isUnchanged(_ prepared: PreparedRepair) throws -> Bool {
        for (path, entry) in prepared.seen
        where try FileTree.entry("\(layout.root)/\(path.text)") != entry {
            return false
        }
        return try isStillSo(prepared.finding)
    }
}
