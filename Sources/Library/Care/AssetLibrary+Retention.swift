// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
public import LinuxIO

extension AssetLibrary {
    private static let batch = 200

    /// What would go now by a policy; nothing is changed.
    ///
    /// - Parameter clockIsRight: Whether time can be trusted: else nothing goes by its age.
    /// - Throws: `closed`, `io`.
    public nonisolated func retention(
        _ policy: RetentionPolicy, clockIsRight: Bool = Clock.isSynchronized
    ) async throws(LibraryError) -> RetentionReport {
        let plan = try plan(policy, clockIsRight: clockIsRight)
        return try await reading { db in
            var report = RetentionReport()
            report.isWaitingForClock = !clockIsRight
            try plan.next(db, limit: .max) { report.add($0) }
            report.waitingForSync = try plan.countOfWaiting(db)
            return report
        }
    }

    /// Lets go for good what a policy says, a few at a time; photos are stored in between.
    ///
    /// - Returns: what has gone.
    /// - Throws: `readOnly`, `closed`, `full`, `io`; what came before is gone.
    public func applyRetention(
        _ policy: RetentionPolicy, clockIsRight: Bool = Clock.isSynchronized
    ) async throws(LibraryError) -> RetentionReport {
        var report = RetentionReport()
        report.isWaitingForClock = !clockIsRight
        let start = try plan(policy, clockIsRight: clockIsRight)
        try requireWritable()
        try databaseWrite { db in try start.stamp(db) }
        while true {
            try requireWritable()
            var plan = try plan(policy, clockIsRight: clockIsRight)
            // A file system may give space back late: that is no reason to let more go.
            plan.freeBytes = max(
                plan.freeBytes, start.freeBytes.addingReportingOverflow(report.bytes).partialValue)
            // Nobody is told of nothing.
            var isDue = false
            try databaseRead { db in try plan.next(db, limit: 1) { _ in isDue = true } }
            guard isDue else { break }
            let items = try change(from: .retention) { db in
                var items: [RetentionReport.Item] = []
                try plan.next(db, limit: Self.batch) { items.append($0) }
                var transaction = ChangeTransaction(db, .retention, Clock.wall)
                for item in items { try transaction.purge(item) }
                return items
            }
            removePurged()
            for item in items { report.add(item) }
            await Task.yield()
        }
        let end = try plan(policy, clockIsRight: clockIsRight)
        report.waitingForSync = try await reading { db in try end.countOfWaiting(db) }
        return report
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
    fileprivate mutating func purge(_ item: RetentionReport.Item) throws {
        guard let id = UUID(uuidString: item.id) else { return }
        try purge(try ChangedAsset(db, id), evenIfKept: true)
    }
}
