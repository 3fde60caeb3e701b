// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import Library
internal import LinuxIO
package import Settings

/// Sends everything that is due, and proves that it has arrived.
///
/// Objects are sent in batches; while one is verified, the next is sent. An object counts as
/// verified only if the hash that the remote gives, or that of the bytes read back from it, is the
/// hash of the bytes that the library holds.
package struct SyncPass {
    let ledger: any SyncLedger
    let remote: SyncRemote
    let rclone: Rclone
    private let sender: SyncSender
    private let wantsRenditions: Bool
    /// Off in a control, which must then report objects as verified that are not there.
    let verifies: Bool
    /// The table of the file systems to mount.
    let mountTable: String
    let progress: @Sendable (SyncSummary) -> Void

    /// - Parameters:
    ///   - records: A folder for renditions, side-cars and manifests on their way, best in memory:
    ///     they are many, small and short-lived.
    ///   - foreign: Reads photos that are no JPEGs, for their renditions.
    package init(
        ledger: any SyncLedger, remote: SyncRemote, rclone: Rclone, settings: SyncSettings,
        records: String, foreign: (any ForeignPictures)? = nil, verifies: Bool = true,
        mountTable: String = "/etc/fstab",
        progress: @escaping @Sendable (SyncSummary) -> Void = { _ in }
    ) {
        self.ledger = ledger
        self.remote = remote
        self.rclone = rclone
        sender = SyncSender(
            remote: remote, rclone: rclone, deletion: settings.deletion, foreign: foreign,
            records: records)
        wantsRenditions = settings.sendsRenditions
        self.verifies = verifies
        self.mountTable = mountTable
        self.progress = progress
    }

    /// The most objects of one request to the ledger, for which new photos wait.
    private static let page = 1000
    /// The most objects of one batch. Each start of rclone takes the time of some twenty objects.
    private static let batch = 4 * page

    /// Runs until nothing is due or the remote fails as a whole.
    /// - Throws: The ledger's errors; `CancellationError`. What was being sent is then sent again
    ///   by the next run.
    package func run() async throws -> SyncSummary {
        try await ledger.beginSync(with: remote, renditions: wantsRenditions)
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
            try Self.requireFolder(rclone, mountTable: mountTable)
            verifier = SyncVerifier(
                rclone: rclone, device: remote.device, hash: try await RemoteHash(of: rclone))
        } catch {
            summary.failure = error
            return summary
        }
        let sender = sender
        var verifying: Task<[SyncReport], Never>?
        defer { verifying?.cancel() }
        var objects = try await nextBatch()
        while true {
            if objects.isEmpty {
                // Side-cars follow verified originals, and manifests everything else.
                guard let running = verifying else { return summary }
                verifying = nil
                try await note(await Self.value(of: running), &summary)
                objects = try await nextBatch()
                continue
            }
            async let sending = sender.send(objects)
            // The ledger is busy while rclone is.
            if let running = verifying {
                try await note(await Self.value(of: running), &summary)
                verifying = nil
            }
            let upcoming = try await nextBatch()
            let (reports, sent) = await sending
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
            objects = upcoming
            guard !sent.isEmpty else {
                // A manifest follows deletions.
                if objects.isEmpty { objects = try await nextBatch() }
                continue
            }
            verifying = Task { [verifies] in
                verifies ? await verifier.verify(sent) : sent.map { SyncReport(verified: $0) }
            }
        }
    }

    /// Returns the objects to send next. A page that is not full is the last of its kind, or has as
    /// many bytes as a batch may have.
    private func nextBatch() async throws -> [SyncObject] {
        var objects: [SyncObject] = []
        repeat {
            let page = try await ledger.nextObjects(for: remote, limit: Self.page)
            objects += page
            if page.count < Self.page { break }
        } while objects.count < Self.batch
        return objects
    }

    /// Waits for a task, which a cancellation reaches.
    private static func value<Value>(of task: Task<Value, Never>) async -> Value {
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Nothing is written below the mount point of a disk that is not there.
    static func requireFolder(
        _ rclone: Rclone, mountTable: String = "/etc/fstab"
    ) throws(SyncFailure) {
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
        for start in stride(from: 0, to: reports.count, by: Self.page) {
            try await ledger.record(Array(reports[start...].prefix(Self.page)), for: remote)
        }
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
}
