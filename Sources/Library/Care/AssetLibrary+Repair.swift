// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO

extension AssetLibrary {
    /// Makes the repair that each finding names, after checking the finding again. Only derived
    /// pictures, such as thumbnails, are deleted, and they are made again. Other files in the way
    /// move to the folder quarantine/. Photos can be stored meanwhile.
    /// - Returns: One outcome for each finding that has a repair, in the order of `findings`.
    /// - Throws: `readOnly`, `closed`. The outcomes hold the errors of single repairs.
    public nonisolated func repair(
        _ findings: [LibraryFinding]
    ) async throws(LibraryError) -> [RepairOutcome] {
        try await requireWritable()
        var outcomes: [RepairOutcome] = []
        for finding in findings {
            guard let repair = finding.repair else { continue }
            do {
                let message = try await perform(repair, finding)
                outcomes.append(
                    RepairOutcome(
                        finding: finding, result: message == nil ? .goneMeanwhile : .repaired,
                        message: message ?? "no longer the case"))
            } catch {
                outcomes.append(
                    RepairOutcome(finding: finding, result: .failed, message: "\(error)"))
            }
        }
        return outcomes
    }

    /// Makes one repair and returns what was done; `nil` if the problem is gone.
    private nonisolated func perform(
        _ repair: LibraryFinding.Repair, _ finding: LibraryFinding
    ) async throws -> String? {
        let inspector = LibraryInspector(layout: layout, database: database)
        let prepared = try await reader.look(at: finding.path) {
            try inspector.prepare(repair, of: finding)
        }
        guard let prepared else { return nil }
        return try await finish(prepared)
    }

    /// Finishes a repair between two changes of the library, when no photo is half stored.
    private func finish(_ prepared: PreparedRepair) throws -> String? {
        try requireWritable()
        let inspector = LibraryInspector(layout: layout, database: database)
        guard try inspector.isUnchanged(prepared) else { return nil }
        switch prepared.action {
        case .recount(let counts):
            try databaseWrite(sortsOnDisk: true) { db in try counts.recount(db) }
            return "counted again"
        case .remove(let path):
            try FileTree.remove("\(layout.root)/\(path)")
            return "deleted"
        case .quarantine(let path): return "moved to \(try layout.quarantine(path))"
        case .adopt(let new): return "added as asset \(try adopt(new).sequence)"
        case .attach(let new): return try attach(new)
        case .restore(let file, let source): return try restore(file, from: source)
        }
    }

    /// Attaches a RAW to its photo. Returns `nil` if the photo is gone or already has a RAW.
    private func attach(_ new: NewAlternate) throws -> String? {
        guard let row = try row(of: new.asset) else { return nil }
        try settleName(in: row.path)
        let isNew = try change(from: .recovery) { db in
            var transaction = ChangeTransaction(db, .recovery, Clock.wall)
            return try transaction.attach(new)
        }
        return isNew ? "attached as the RAW of asset \(row.asset.sequence)" : nil
    }

    /// Makes a file's name durable, which it must be before its row.
    private func settleName(in path: String) throws {
        try DurableFile.synchronizeDirectory(layout.original(LibraryLayout.folder(of: path)))
    }

    private func adopt(_ new: NewAsset) throws -> Asset {
        try settleName(in: new.path)
        return try change(from: .recovery) { db in
            try new.insert(db, origin: .recovery, now: Clock.wall)
        }
    }

    /// Moves a good copy to its file's place, and whatever is there to quarantine.
    private func restore(_ file: StoredFile, from source: String) throws -> String {
        let original = layout.original(file.path)
        var done = ""
        if try FileTree.entry(original) != nil {
            done = "old file moved to \(try layout.quarantine("originals/\(file.path)")); "
        }
        let folders = ["originals"] + PathName(file.path).components.dropLast()
        try FileTree.makeDirectories(folders, below: layout.root)
        try FileTree.move("\(layout.root)/\(source)", to: original)
        return done + "restored from \(source)"
    }
}
