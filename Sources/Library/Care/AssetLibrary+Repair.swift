// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

extension LibraryInspector {
    /// The same finding as things are now; `nil` when it is so no more.
    func again(_ finding: LibraryFinding) throws -> LibraryFinding? {
        let name = finding.path?.split(separator: "/").last.map(String.init) ?? ""
        switch finding.kind {
        case .database: return finding
        case .count: return try inspectCounts().first { $0.message == finding.message }
        case .missing, .damaged:
            guard let row = try finding.asset.flatMap(row) else { return nil }
            let now = inspect(row, deep: finding.kind == .damaged)
            return now?.kind == finding.kind ? now : nil
        case .orphan, .foreign:
            let now = try finding.path.flatMap(inspect(path:))
            return now?.kind == finding.kind ? now : nil
        case .leftover: return try finding.path.flatMap(inspect(path:))
        case .thumbnail:
            let now = try inspect(thumbnail: name)
            return now?.kind == .thumbnail ? now : nil
        }
    }
}

extension AssetLibrary {
    /// Does what each finding's ``LibraryFinding/repair`` says, after looking at it again: nothing is deleted
    /// but thumbnails, which are made again; what is in the way goes to the folder quarantine/.
    ///
    /// - Returns: one outcome for each finding that has a repair, in their order.
    /// - Throws: `readOnly`, `closed`; what one repair meets is in its outcome.
    public func repair(_ findings: [LibraryFinding]) throws(LibraryError) -> [RepairOutcome] {
        try requireWritable()
        var outcomes: [RepairOutcome] = []
        for finding in findings {
            guard let repair = finding.repair else { continue }
            do {
                let message = try perform(repair, finding)
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
    private func perform(
        _ repair: LibraryFinding.Repair, _ finding: LibraryFinding
    ) throws -> String? {
        let inspector = LibraryInspector(layout: layout, database: database)
        guard let now = try inspector.again(finding) else { return nil }
        switch repair {
        case .recount:
            let counts = KeptCounts.all.first { inspector.message($0) == now.message }
            try databaseWrite { db in try counts?.recount(db) }
            return "counted again"
        case .remake:
            guard let path = now.path, now.kind == .thumbnail else { return nil }
            try FileTree.remove("\(layout.root)/\(path)")
            return "taken away"
        case .quarantine:
            guard let path = now.path, now.repair == .quarantine else { return nil }
            return "moved to \(try layout.quarantine(path))"
        case .adopt:
            guard let path = now.path, now.repair == .adopt else { return nil }
            return "now asset \(try adopt(path).sequence)"
        case .restore:
            guard let source = finding.source, let sequence = finding.asset,
                let row = try inspector.row(sequence)
            else { return nil }
            return try restore(row, from: source)
        }
    }

    /// Makes an asset of an original without one.
    private func adopt(_ place: String) throws -> Asset {
        let path = place.split(separator: "/").dropFirst().joined(separator: "/")
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard let parsed = LibraryLayout.parse(originalName: name),
            let entry = try FileTree.entry(layout.original(path))
        else { throw LibraryError(.invalidValue, "\(place): no original") }
        let day = path.split(separator: "/").dropLast().joined(separator: "/")
        // Its name must not reach the medium later than its row.
        try DurableFile.synchronizeDirectory(layout.original(day))
        let new = NewAsset(
            adopting: try OriginalFile.scan(layout.original(path)), id: parsed.id, path: path,
            fileExtension: parsed.fileExtension,
            modified: LibraryRecovery.date(of: entry, in: day))
        return try change(from: .recovery) { db in
            try new.insert(db, origin: .recovery, now: Clock.wall)
        }
    }

    /// Puts a good copy where the asset's original belongs.
    private func restore(_ row: AssetRow, from source: String) throws -> String {
        guard !source.split(separator: "/").contains("..") else {
            throw LibraryError(.invalidValue, "\(source): not below the library")
        }
        let copy = "\(layout.root)/\(source)"
        guard hexadecimal(try OriginalFile.scan(copy).sha256) == row.asset.sha256 else {
            throw LibraryError(.damaged, "\(source): not what was stored either")
        }
        let original = layout.original(row.path)
        var done = ""
        if try FileTree.entry(original) != nil {
            done = "what was there moved to \(try layout.quarantine("originals/\(row.path)")); "
        }
        let folders = ["originals"] + row.path.split(separator: "/").dropLast().map(String.init)
        try FileTree.makeDirectories(folders, below: layout.root)
        try FileTree.move(copy, to: original)
        return done + "put back from \(source)"
    }
}
