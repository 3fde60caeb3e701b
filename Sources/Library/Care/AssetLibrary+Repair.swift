// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO

extension AssetLibrary {
    /// Does what each finding's ``LibraryFinding/repair`` says, after looking at it again: nothing is deleted
    /// but thumbnails and other derived pictures, which are made again; what is in the way goes to the folder
    /// quarantine/. Photos are stored meanwhile.
    ///
    /// - Returns: one outcome for each finding that has a repair, in their order.
    /// - Throws: `readOnly`, `closed`; what one repair meets is in its outcome.
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
                        message: message ?? "not so any more"))
            } catch {
                outcomes.append(
                    RepairOutcome(finding: finding, result: .failed, message: "\(error)"))
            }
        }
        return outcomes
    }

    /// Answers what was done; `nil` when the finding is so no more.
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

    /// Between two changes: no photo is half-way.
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
            return "taken away"
        case .quarantine(let path): return "moved to \(try layout.quarantine(path))"
        case .adopt(let new): return "now asset \(try adopt(new).sequence)"
        case .attach(let new): return try attach(new)
        case .restore(let file, let source): return try restore(file, from: source)
        }
    }

    /// `nil` where its photo is gone, or has got one meanwhile.
    private func attach(_ new: NewAlternate) throws -> String? {
        guard let row = try row(of: new.asset) else { return nil }
        try settleName(in: row.path)
        let isNew = try change(from: .recovery) { db in
            var transaction = ChangeTransaction(db, .recovery, Clock.wall)
            return try transaction.attach(new)
        }
        return isNew ? "now the RAW of asset \(row.asset.sequence)" : nil
    }

    /// A file's name must not reach the medium later than its row.
    private func settleName(in path: String) throws {
        try DurableFile.synchronizeDirectory(layout.original(LibraryLayout.folder(of: path)))
    }

    private func adopt(_ new: NewAsset) throws -> Asset {
        try settleName(in: new.path)
        return try change(from: .recovery) { db in
            try new.insert(db, origin: .recovery, now: Clock.wall)
        }
    }

    /// Puts a good copy where it belongs.
    private func restore(_ file: StoredFile, from source: String) throws -> String {
        let original = layout.original(file.path)
        var done = ""
        if try FileTree.entry(original) != nil {
            done = "what was there moved to \(try layout.quarantine("originals/\(file.path)")); "
        }
        let folders = ["originals"] + PathName(file.path).components.dropLast()
        try FileTree.makeDirectories(folders, below: layout.root)
        try FileTree.move("\(layout.root)/\(source)", to: original)
        return done + "put back from \(source)"
    }
}
