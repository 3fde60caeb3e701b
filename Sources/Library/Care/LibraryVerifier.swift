// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Hashing
internal import LinuxIO
internal import Store

/// Checks a whole library: each row for its file, each file for its row, and the database itself.
/// It changes nothing. Photos can be stored meanwhile, because it reads in pages on its own thread.
actor LibraryVerifier {
    /// Receives the number of rows and files checked so far, and the expected total.
    typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

    private static let executor = ThreadExecutor("library-care")
    private static let pageSize: Int64 = 500
    /// At most this many files of the right length are hashed in search of a good copy.
    private static let mostCandidates = 100

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    private let inspector: LibraryInspector
    private let isDeep: Bool
    private let progress: Progress
    private var verification = LibraryVerification()
    private var total = 0
    /// Files in originals/ and quarantine/ that are no asset's, by their length in bytes. Paths are
    /// relative to the library's folder.
    private var strays: [Int: [String]] = [:]

    private var layout: LibraryLayout { inspector.layout }

    init(_ inspector: LibraryInspector, deep: Bool, progress: @escaping Progress) {
        self.inspector = inspector
        isDeep = deep
        self.progress = progress
    }

    /// Checks everything once and returns the findings.
    /// - Throws: `cancelled`; `io`, `closed` if the database cannot be read at all.
    func run() throws -> LibraryVerification {
        verification.findings += inspector.inspectDatabase(deep: isDeep)
        // A damaged database gives no reliable answers.
        guard verification.findings.isEmpty else { return verification }
        verification.findings += try inspector.inspectCounts()
        // Each asset is counted twice: for its row and for its file.
        total =
            try inspector.database.read { db in
                try Int.fetchOne(db, sql: "SELECT sum(count) FROM counter") ?? 0
            } * 2
        try inspectAssets()
        try inspectOriginals("", depth: 0)
        try inspectRest()
        verification.findings = verification.findings.map(withGoodCopy)
        return verification
    }

    private func note(_ finding: LibraryFinding?) throws {
        if let finding { verification.findings.append(finding) }
        if Task.isCancelled { throw LibraryError(.cancelled, "verify: stopped") }
    }

    private func advance() {
        let done = verification.assets + verification.files
        if done % 100 == 0 { progress(done, max(total, done)) }
    }

    private func inspectAssets() throws {
        var last: Int64 = 0
        while true {
            let after = last
            let rows = try inspector.database.read { db in
                try AssetRow.fetch(
                    db, "WHERE sequence > ? ORDER BY sequence LIMIT ?", [after, Self.pageSize])
            }
            for row in rows {
                for finding in inspector.inspect(row, deep: isDeep) { try note(finding) }
                verification.assets += 1
                if isDeep { verification.bytesRead += row.files.reduce(0) { $0 + $1.bytes } }
                advance()
            }
            guard let end = rows.last?.asset.sequence else { return }
            last = end
        }
    }

    /// Inspects the folders of years, months and days, and the files in the day folders.
    private func inspectOriginals(_ folder: String, depth: Int) throws {
        try noteUnreadable(in: folder.isEmpty ? "originals" : "originals/\(folder)")
        for name in try FileTree.names(in: layout.original(folder)).sorted() {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            if depth == 3 {
                verification.files += 1
                let finding = try inspector.inspect(original: path)
                if finding != nil { noteStray("originals/\(path)") }
                try note(finding)
                advance()
            } else if let finding = try inspector.inspect(above: path) {
                noteStray("originals/\(path)")
                try note(finding)
            } else {
                try inspectOriginals(path, depth: depth + 1)
            }
        }
    }

    private func noteUnreadable(in place: String) throws {
        for finding in try inspector.unreadableNames(in: place) { try note(finding) }
    }

    private func inspectRest() throws {
        let derived = try LibraryLayout.derivedFolders.filter {
            try FileTree.entry("\(layout.root)/derived/\($0)") != nil
        }
        for place in ["", "incoming", "derived"] + derived.map({ "derived/\($0)" }) {
            try noteUnreadable(in: place)
        }
        for name in try FileTree.names(in: layout.root).sorted() {
            try note(inspector.inspect(top: name))
        }
        for name in try FileTree.names(in: "\(layout.root)/derived").sorted() {
            try note(inspector.inspect(inDerived: name))
        }
        if try FileTree.entry(layout.snapshots) != nil {
            for name in try FileTree.names(in: layout.snapshots).sorted() {
                try note(inspector.inspect(inSnapshots: name))
            }
        }
        for name in derived {
            for file in try FileTree.names(in: "\(layout.root)/derived/\(name)").sorted() {
                try note(inspector.inspect(derived: "\(name)/\(file)"))
            }
        }
        for name in try FileTree.names(in: layout.incoming).sorted() {
            try note(inspector.inspect(incoming: name))
        }
        guard try FileTree.entry(layout.quarantine) != nil else { return }
        try noteStrays(below: "quarantine")
    }

    // MARK: - Good copies

    private func noteStray(_ place: String) {
        guard let entry = try? FileTree.entry("\(layout.root)/\(place)") else { return }
        switch entry.kind {
        case .file: strays[entry.bytes, default: []].append(place)
        case .directory: try? noteStrays(below: place)
        case .other: break
        }
    }

    private func noteStrays(below folder: String) throws {
        for name in try FileTree.names(in: "\(layout.root)/\(folder)") {
            noteStray("\(folder)/\(name)")
        }
    }

    /// Gives the finding the repair `restore` if a stray has the right content.
    private func withGoodCopy(_ finding: LibraryFinding) -> LibraryFinding {
        guard [.missing, .damaged].contains(finding.kind), let sequence = finding.asset,
            let file = try? inspector.row(sequence)?.file(of: finding)
        else { return finding }
        let copy = strays[Int(file.bytes), default: []].prefix(Self.mostCandidates).first {
            (try? hexadecimal(OriginalFile.scan("\(layout.root)/\($0)").sha256)) == file.sha256
        }
        return copy.map(finding.restoring) ?? finding
    }
}

extension AssetLibrary {
    /// Checks the whole library and changes nothing. It compares the originals' lengths and, if
    /// `deep`, their hashes. Calls `progress` occasionally with the number of rows and files
    /// checked. Photos can be stored meanwhile.
    /// - Throws: `cancelled`; `io`, `permission`, `closed`.
    public nonisolated func verify(
        deep: Bool = false,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(LibraryError) -> LibraryVerification {
        let inspector = LibraryInspector(layout: layout, database: database)
        let verifier = LibraryVerifier(inspector, deep: deep, progress: progress)
        do {
            var verification = try await verifier.run()
            // A change in progress can cause a false finding, so each is checked again. Other calls
            // of the library get their turn in between.
            let seen = verification.findings
            verification.findings = []
            for finding in seen where await isStillSo(finding) {
                verification.findings.append(finding)
            }
            return verification
        } catch let error as LibraryError {
            throw error
        } catch let error as StoreError {
            throw LibraryError(error)
        } catch let error as SystemCallError {
            throw LibraryError("library \(path)", error)
        } catch {
            throw LibraryError(.io, "library \(path): \(error)", underlying: error)
        }
    }

    /// Whether a finding still holds. Runs between two changes, when no photo is half stored.
    private func isStillSo(_ finding: LibraryFinding) -> Bool {
        let inspector = LibraryInspector(layout: layout, database: database)
        return (try? inspector.isStillSo(finding)) ?? true
    }
}
