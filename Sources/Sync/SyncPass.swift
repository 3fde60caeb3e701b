// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import Library
internal import LinuxIO
package import Settings

/// Sends everything that is due, and proves that it has arrived.
///
/// Originals are copied in batches; while one is verified, the next is copied. An object counts as
/// verified only if the hash that the remote gives, or that of the bytes read back from it, is the
/// hash of the bytes that the library holds.
package struct SyncPass {
    let ledger: any SyncLedger
    let remote: SyncRemote
    let rclone: Rclone
    let deletion: SyncSettings.Deletion
    /// A folder for side-cars and manifests on their way.
    let staging: String
    /// Off in a control, which must then report objects as verified that are not there.
    let verifies: Bool
    /// The table of the file systems to mount.
    let mountTable: String
    let progress: @Sendable (SyncSummary) -> Void

    package init(
        ledger: any SyncLedger, remote: SyncRemote, rclone: Rclone, deletion: SyncSettings.Deletion,
        staging: String, verifies: Bool = true, mountTable: String = "/etc/fstab",
        progress: @escaping @Sendable (SyncSummary) -> Void = { _ in }
    ) {
        self.ledger = ledger
        self.remote = remote
        self.rclone = rclone
        self.deletion = deletion
        self.staging = staging
        self.verifies = verifies
        self.mountTable = mountTable
        self.progress = progress
    }

    /// The most objects of one batch, and of one answer of the ledger.
    private static let batch = 1000

    /// Runs until nothing is due or the remote fails as a whole.
    /// - Throws: The ledger's errors; `CancellationError`. What was being sent is then sent again
    ///   by the next run.
    package func run() async throws -> SyncSummary {
        try await ledger.beginSync(with: remote)
        do {
            let summary = try await sendAll()
            try await ledger.endSync()
            return summary
        } catch {
            try? await ledger.endSync()
            throw error
        }
    }

    private func sendAll() async throws -> SyncSummary {
        var summary = SyncSummary()
        let verifier: SyncVerifier
        do throws(SyncFailure) {
            try requireFolder()
            verifier = SyncVerifier(
                rclone: rclone, device: remote.device, hash: try await RemoteHash(of: rclone))
        } catch {
            summary.failure = error
            return summary
        }
        var verifying: Task<[SyncReport], Never>?
        defer { verifying?.cancel() }
        while true {
            let objects = try await ledger.nextObjects(for: remote, limit: Self.batch)
            if objects.isEmpty || objects.contains(where: { $0.file == nil }) {
                // Side-cars follow verified originals, so these come first.
                if let running = verifying {
                    verifying = nil
                    try await note(await running.value, &summary)
                    if objects.isEmpty { continue }
                }
            }
            guard !objects.isEmpty else { return summary }
            let (reports, sent) = await send(objects)
            if let running = verifying { try await note(await running.value, &summary) }
            verifying = nil
            // If the remote itself fails, so would the next batch. The objects are not to blame:
            // they are due again with the next run.
            if sent.isEmpty,
                let failure = reports.compactMap(\.failure).first(where: \.isOfRemote)
            {
                try await note(reports.map { $0.dueAtOnce }, &summary)
                summary.failure = failure
                return summary
            }
            try await note(reports, &summary)
            if sent.isEmpty { continue }
            verifying = Task { [verifies] in
                verifies ? await verifier.verify(sent) : sent.map { SyncReport(verified: $0) }
            }
        }
    }

    /// Nothing is written below the mount point of a disk that is not there.
    private func requireFolder() throws(SyncFailure) {
        guard rclone.isFolder else { return }
        if let place = FileTree.missingMount(for: rclone.location, table: mountTable) {
            throw SyncFailure(
                "sync.waitingForDisk", "the disk of \(place) is not mounted",
                next: "Plug it in, and mount it: sudo mount \(place)")
        }
        do {
            try FileTree.requireWritable(rclone.location)
        } catch {
            throw SyncFailure(
                "sync.missing", "\(rclone.location): \(error)",
                next: "Create the folder, and give it to the user of this command.")
        }
    }

    private func note(_ reports: [SyncReport], _ summary: inout SyncSummary) async throws {
        try Task.checkCancellation()
        guard !reports.isEmpty else { return }
        try await ledger.record(reports, for: remote)
        for report in reports {
            switch report.outcome {
            case .verified(let bytes, _):
                summary.verified += 1
                summary.bytes += bytes
            case .removed, .kept: summary.removed += 1
            case .failed(let failure, _):
                summary.failed += 1
                summary.lastFailure = failure
            case .sent: break
            }
        }
        progress(summary)
    }

    // MARK: - Sending

    /// Copies objects, and handles those of purged assets. Returns reports of what failed, was sent
    /// or is gone, and the objects that are to be verified.
    private func send(
        _ objects: [SyncObject]
    ) async -> (reports: [SyncReport], sent: [SyncObject]) {
        let gone = objects.filter(\.isGone)
        let (files, contents) = (
            objects.filter { !$0.isGone && $0.file != nil },
            objects.filter { !$0.isGone && $0.file == nil }
        )
        var reports = await remove(gone)
        var sent: [SyncObject] = []
        do throws(SyncFailure) {
            // The file's path ends with its key, below the library's folder.
            if let first = files.first, let file = first.file {
                let root = String(file.dropLast(first.key.utf8.count + 1))
                sent += try await copy(files, from: root, &reports)
            }
            if !contents.isEmpty {
                let folder = "\(staging)/\(UUID().uuidString)"
                defer { try? FileManager.default.removeItem(atPath: folder) }
                do {
                    for object in contents { try write(object, below: folder) }
                } catch {
                    throw SyncFailure(
                        "sync.staging", "\(folder): \(error)", next: "Make room in that folder.")
                }
                sent += try await copy(contents, from: folder, &reports)
            }
        } catch {
            let handled = Set(reports.map(\.key)).union(sent.map(\.key))
            for object in objects where !handled.contains(object.key) {
                reports.append(SyncReport(object, error))
            }
        }
        return (reports, sent)
    }

    private func write(_ object: SyncObject, below folder: String) throws {
        let file = URL(filePath: "\(folder)/\(object.key)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try (object.content ?? Data()).write(to: file)
    }

    private func copy(
        _ objects: [SyncObject], from folder: String, _ reports: inout [SyncReport]
    ) async throws(SyncFailure) -> [SyncObject] {
        let bytes = objects.reduce(0) { $0 + $1.bytes }
        // The first attempt finds nothing there. Later ones do not send again what has arrived, but
        // rclone would leave an object of the right size, if the remote has no hashes.
        let existing: Rclone.Existing =
            objects.contains(where: \.isOther)
            ? .replaced : objects.contains { $0.attempts > 0 } ? .keptIfSame : .replacedUnseen
        let complaints = try await rclone.copy(
            objects.map(\.key), from: folder, to: remote.device, bytes: bytes, existing)
        var sent: [SyncObject] = []
        for object in objects {
            if complaints.concerns(object.key) {
                reports.append(SyncReport(object, complaints.failure(for: object.key)))
            } else {
                sent.append(object)
                reports.append(SyncReport(object, .sent))
            }
        }
        return sent
    }

    // MARK: - Deletions

    private func remove(_ objects: [SyncObject]) async -> [SyncReport] {
        guard !objects.isEmpty else { return [] }
        let keys = objects.map(\.key)
        do throws(SyncFailure) {
            let complaints: RcloneComplaints
            switch deletion {
            case .keep: return objects.map { SyncReport($0, .kept) }
            case .trash: complaints = try await rclone.trash(keys, in: remote.device)
            case .mirror: complaints = try await rclone.delete(keys, in: remote.device)
            }
            return objects.map { object in
                complaints.isEmpty
                    ? SyncReport(object, .removed)
                    : SyncReport(object, complaints.failure(for: object.key))
            }
        } catch {
            return objects.map { SyncReport($0, error) }
        }
    }
}
