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
            try databaseWrite { db in try counts.recount(db) }
            return "counted again"
        case .remove(let path):
            try FileTree.remove("\(layout.root)/\(path)")
            return "taken away"
        case .quarantine(let path): return "moved to \(try layout.quarantine(path))"
        case .adopt(let new): return "now asset \(try adopt(new).sequence)"
        case .restore(let row, let source): return try restore(row, from: source)
        }
    }

    private func adopt(_ new: NewAsset) throws -> Asset {
        // Its name must not reach the medium later than its row.
        try DurableFile.synchronizeDirectory(layout.original(LibraryLayout.folder(of: new.path)))
        return try change(from: .recovery) { db in
            try new.insert(db, origin: .recovery, now: Clock.wall)
        }
    }

    /// Puts a good copy where the asset's original belongs.
    private func restore(_ row: AssetRow, from source: String) throws -> String {
        let original = layout.original(row.path)
        var done = ""
        if try FileTree.entry(original) != nil {
            done = "what was there moved to \(try layout.quarantine("originals/\(row.path)")); "
        }
        let folders = ["originals"] + row.path.split(separator: "/").dropLast().map(String.init)
        try FileTree.makeDirectories(folders, below: layout.root)
        try FileTree.move("\(layout.root)/\(source)", to: original)
        return done + "put back from \(source)"
    }
}
