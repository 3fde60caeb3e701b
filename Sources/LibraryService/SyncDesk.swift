// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
package import Library
package import LinuxIO

/// The place where the appliance and its sync service meet. The service asks for orders and reports
/// what it does; the appliance never waits for it.
package actor SyncDesk {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    /// The time after which orders are given again, as a sign of life.
    private let patience: Duration
    private let now: @Sendable () -> Int64
    private var orders: SyncOrders
    private var lastReport: (SyncServiceReport, time: Int64)?
    private var waiting: [PendingAnswer<Void>] = []
    /// Who waits for originals, by their assets.
    private var returning: [String: [PendingAnswer<SyncFailure?>]] = [:]
    /// The process that syncs.
    private var runner: Int32?
    private let isAlive: @Sendable (Int32) -> Bool

    /// - Parameters:
    ///   - now: Returns the time in nanoseconds of `CLOCK_MONOTONIC`.
    ///   - isAlive: Returns whether a process exists.
    package init(
        executor: ThreadExecutor, patience: Duration = .seconds(30),
        now: @escaping @Sendable () -> Int64 = { Clock.monotonic },
        isAlive: @escaping @Sendable (Int32) -> Bool = { PeerCredentials.isAlive($0) }
    ) {
        self.executor = executor
        self.patience = patience
        self.now = now
        self.isAlive = isAlive
        // A later appliance has a higher revision, so the service notices that it is another one.
        orders = SyncOrders(revision: Clock.boot)
    }

    /// Takes the service's report, and returns the orders once they differ from those it knows.
    package func exchange(
        _ report: SyncServiceReport, knowing revision: Int64
    ) async -> SyncOrders {
        // An earlier report may come after a later one, by another connection.
        let latest = lastReport.map(\.0).flatMap { $0.number > report.number ? $0 : nil }
        lastReport = (latest ?? report, now())
        if revision == orders.revision {
            let change = PendingAnswer<Void>()
            waiting.append(change)
            _ = await change.value(within: patience)
            waiting.removeAll { $0 === change }
        }
        return orders
    }

    /// The service's last report; `stopped` if it has not asked for three times the usual wait.
    package var report: SyncServiceReport {
        guard let (report, time) = lastReport, .nanoseconds(now() - time) < patience * 3 else {
            return SyncServiceReport(.stopped)
        }
        return report
    }

    // MARK: - Orders

    /// Notes a photo or clip that was stored.
    package func captured() { change { $0.captures += 1 } }

    /// Asks for a run at once. Returns the number of requests so far.
    package func requestRun() -> Int {
        change { $0.runRequests += 1 }
        return orders.runRequests
    }

    /// Notes whether the service is paused.
    package func setPaused(_ isPaused: Bool) {
        if orders.isPaused != isPaused { change { $0.isPaused = isPaused } }
    }

    // MARK: - Originals that come back

    /// Lets the service bring an original back, and waits for it.
    /// - Throws: `SyncFailure`, also if no service runs or it does not answer in time.
    package func bringBack(_ asset: String, within limit: Duration) async throws(SyncFailure) {
        guard ![.stopped, .off].contains(report.state) else {
            throw SyncFailure(
                "sync.stopped", "the service vitrine-sync does not run",
                next: "Start it: sudo systemctl start vitrine-sync")
        }
        let answer = PendingAnswer<SyncFailure?>()
        returning[asset, default: []].append(answer)
        change { $0.wanted.insert(asset) }
        let outcome = await answer.value(within: limit)
        returning[asset]?.removeAll { $0 === answer }
        if returning[asset]?.isEmpty ?? false {
            returning[asset] = nil
            change { $0.wanted.remove(asset) }
        }
        switch outcome {
        case .some(nil): return
        case .some(let failure?): throw failure
        case nil:
            throw SyncFailure(
                "sync.stalled", "asset \(asset) did not come back in time",
                next: "See: vitrine sync status")
        }
    }

    /// Notes that the work for an original has ended.
    package func returned(_ asset: String, _ failure: SyncFailure?) {
        for answer in returning[asset] ?? [] { answer.give(failure) }
    }

    private func change(_ body: (inout SyncOrders) -> Void) {
        body(&orders)
        orders.revision += 1
        for one in waiting { one.give(()) }
    }

    // MARK: - One run at a time

    /// Notes that a process syncs.
    /// - Throws: `sync.busy`, 75, while another one does.
    package func begin(_ process: Int32) throws(CommandError) {
        if let runner, runner != process, isAlive(runner) {
            throw CommandError(
                "sync.busy", "process \(runner) syncs already",
                next: "See how far it is: vitrine sync status", exit: .temporary)
        }
        runner = process
    }

    /// Notes that a process no longer syncs.
    package func end(_ process: Int32) { if runner == process { runner = nil } }
}
