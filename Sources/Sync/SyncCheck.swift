// SPDX-License-Identifier: GPL-3.0-or-later

package import Library

/// Verifies again what was verified before, and queues what is no longer as it was sent.
package struct SyncCheck {
    let ledger: any SyncLedger
    let remote: SyncRemote
    let rclone: Rclone

    package init(ledger: any SyncLedger, remote: SyncRemote, rclone: Rclone) {
        self.ledger = ledger
        self.remote = remote
        self.rclone = rclone
    }

    private static let page = 500

    /// Checks all objects.
    /// - Parameters:
    ///   - deep: Reads every object back, even if the remote has a hash.
    ///   - since: Checks only what was verified at that time or later, in nanoseconds since 1970.
    ///   - found: Called for each object that is not as it was sent.
    /// - Returns: The number of objects that were checked.
    /// - Throws: The ledger's errors; `SyncFailure` if the remote cannot be asked.
    package func run(
        deep: Bool, since: Int64?, found: (_ key: String, SyncFailure) -> Void
    ) async throws -> Int {
        let verifier = SyncVerifier(
            rclone: rclone, device: remote.device, hash: try await RemoteHash(of: rclone))
        var (checked, last) = (0, "")
        while true {
            let entries = try await ledger.syncEntries(of: remote, after: last, limit: Self.page)
            guard let end = entries.last else { return checked }
            last = end.key
            let objects = entries.compactMap { entry -> SyncObject? in
                if let since, entry.verifiedAt ?? 0 < since { return nil }
                return SyncObject(checking: entry)
            }
            var reports: [SyncReport] = []
            let onlyThere = Set(entries.lazy.filter(\.isOnlyThere).map(\.key))
            for var report in await verifier.verify(objects, deep: deep) {
                if let failure = report.failure {
                    if failure.isOfRemote { throw failure }
                    if onlyThere.contains(report.key) { report = report.lost(failure) }
                    found(report.key, report.failure ?? failure)
                }
                reports.append(report)
            }
            try await ledger.record(reports, for: remote)
            checked += objects.count
        }
    }
}
