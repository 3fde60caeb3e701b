// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
public import LinuxIO

extension AssetLibrary {
    private static let batch = 200

    /// Returns what a policy would remove now, and changes nothing.
    /// - Parameter clockIsRight: Whether the clock can be trusted; otherwise age is ignored.
    /// - Throws: `closed`, `io`.
    public nonisolated func retention(
        _ policy: RetentionPolicy, clockIsRight: Bool = Clock.isSynchronized
    ) async throws(LibraryError) -> RetentionReport {
        let plan = try plan(policy, clockIsRight: clockIsRight)
        return try await reading { db in
            var report = RetentionReport()
            report.isWaitingForClock = !clockIsRight
            report.waitingForSync = try plan.forEach(db) { item, _ in report.add(item) }
            return report
        }
    }

    /// Removes assets permanently as a policy says, in small batches. Photos can be stored between
    /// batches. The assets are found once, on a reading connection, and each is checked again
    /// before it is removed.
    /// - Parameter foreign: Makes pictures of originals that are no JPEG, which stay when the
    ///   original goes.
    /// - Returns: The assets that were removed, or have their original only at the remote now.
    /// - Throws: `readOnly`, `closed`, `full`, `io`. Assets of earlier batches stay removed.
    public func applyRetention(
        _ policy: RetentionPolicy, clockIsRight: Bool = Clock.isSynchronized,
        foreign: (any ForeignPictures)? = nil
    ) async throws(LibraryError) -> RetentionReport {
        var report = RetentionReport()
        report.isWaitingForClock = !clockIsRight
        try requireWritable()
        try removeEvicted()
        let start = try plan(policy, clockIsRight: clockIsRight)
        let undated = try await reading { db in try start.undated(db) }
        try await inBatches(undated) { batch throws(LibraryError) in
            try change(from: .retention) { db in
                var transaction = ChangeTransaction(db, .retention, Clock.wall)
                try start.date(batch, &transaction)
            }
        }
        let due = try await reading { db in try start.due(db) }
        try await inBatches(due.filter { !start.isEviction($0.reason) }) {
            batch throws(LibraryError) in
            let plan = try plan(policy, clockIsRight: clockIsRight)
            let items = try change(from: .retention) { db in
                var transaction = ChangeTransaction(db, .retention, Clock.wall)
                return try transaction.purge(batch, by: plan)
            }
            removePurged()
            for item in items { report.add(item) }
        }
        try await inBatches(due.filter { start.isEviction($0.reason) }, of: Self.evicted) {
            batch throws(LibraryError) in
            let plan = try plan(policy, clockIsRight: clockIsRight)
            for item in try await evict(batch, by: plan, foreign) { report.add(item) }
        }
        let end = try plan(policy, clockIsRight: clockIsRight)
        report.waitingForSync = try await reading { db in try end.forEach(db) { _, _ in } }
        return report
    }

    /// Assets of one batch whose originals go; a picture of each is made.
    private static let evicted = 20

    /// Calls `body` for each batch, and gives other calls of the library their turn in between.
    private func inBatches<Element>(
        _ elements: [Element], of size: Int = AssetLibrary.batch,
        _ body: (ArraySlice<Element>) async throws(LibraryError) -> Void
    ) async throws(LibraryError) {
        var rest = elements[...]
        while !rest.isEmpty {
            try requireWritable()
            try await body(rest.prefix(size))
            rest = rest.dropFirst(size)
            await Task.yield()
        }
    }

    private nonisolated func plan(
        _ policy: RetentionPolicy, clockIsRight: Bool
    ) throws(LibraryError) -> RetentionPlan {
        do {
            return RetentionPlan(
                policy: policy, now: clockIsRight ? Clock.wall : nil,
                freeBytes: try freeBytes(layout.originals))
        } catch {
            throw LibraryError("library \(path)", error)
        }
    }
}

extension ChangeTransaction {
    /// Purges those assets that are still to be removed, and returns them.
    fileprivate mutating func purge(
        _ due: ArraySlice<RetentionPlan.Due>, by plan: RetentionPlan
    ) throws -> [RetentionReport.Item] {
        var items: [RetentionReport.Item] = []
        var freed: Int64 = 0
        for one in due {
            guard let item = try plan.item(db, one, freed: freed),
                let id = UUID(uuidString: item.id)
            else { continue }
            // Only a person's deletion reaches a remote.
            try purge(
                try ChangedAsset(db, id), evenIfKept: true,
                copies: item.reason == .deleted ? .asPolicySays : .present)
            items.append(item)
            freed += item.bytes
        }
        return items
    }
}
