// SPDX-License-Identifier: GPL-3.0-or-later

package import Library
internal import LinuxIO
internal import Network
package import Settings

/// Syncs by itself: waits for the times that ``SyncSchedule`` gives, for new photos and for orders,
/// and reports to the appliance what it does. It goes on while the appliance restarts.
package actor SyncService {
    /// The configuration, which may change between two runs.
    package struct Configuration: Sendable {
        let settings: SyncSettings
        let remote: SyncRemote?
        let rcloneConfiguration: String?

        /// - Parameters:
        ///   - remote: `nil` if the settings name none.
        ///   - rcloneConfiguration: rclone's file; `nil` for none.
        package init(
            _ settings: SyncSettings, remote: SyncRemote?, rcloneConfiguration: String?
        ) {
            self.settings = settings
            self.remote = remote
            self.rcloneConfiguration = rcloneConfiguration
        }
    }
    package typealias Connect = @Sendable () throws -> any SyncAppliance

    private let staging: String
    private let records: String
    private let foreign: (any ForeignPictures)?
    private let configure: @Sendable () throws -> Configuration
    private let connect: Connect
    private let log: @Sendable (String) -> Void
    private var generator = SystemRandomNumberGenerator()
    private var report = SyncServiceReport(.idle) {
        didSet { if report != oldValue { report.number = max(oldValue.number + 1, Clock.boot) } }
    }
    private var settings = SyncSettings()
    private var schedule: SyncSchedule
    /// The appliance's orders; `nil` while there is no appliance.
    private var orders: SyncOrders?
    private var change = PendingAnswer<Void>()
    /// The run that is under way.
    private var running: Task<SyncSummary?, any Error>?
    /// The assets whose originals are on their way back.
    private var returning: Set<String> = []
    private var lastLine = ""

    /// - Parameters:
    ///   - staging: A folder for originals on their way back.
    ///   - records: A folder for renditions, side-cars and manifests on their way, best in memory.
    ///   - foreign: Reads photos that are no JPEGs, for their renditions.
    ///   - configure: Reads the configuration.
    ///   - connect: Returns a connection to the running appliance, or throws.
    ///   - log: Takes a line for the log.
    package init(
        staging: String, records: String, foreign: (any ForeignPictures)?,
        configure: @escaping @Sendable () throws -> Configuration,
        connect: @escaping Connect, log: @escaping @Sendable (String) -> Void
    ) {
        self.staging = staging
        self.records = records
        self.foreign = foreign
        self.configure = configure
        self.connect = connect
        self.log = log
        schedule = SyncSchedule(SyncSettings(), now: Self.now, using: &generator)
    }

    /// The longest time without a look at the configuration and the network.
    private static let patience = 30.0

    private static var now: Double { Double(Clock.boot) / 1e9 }

    /// Runs until the task is cancelled.
    package func run() async {
        let listener = Listener(connect)
        // It may wait for orders when the process ends.
        let listening = Task { await listener.run { await self.take($0) } }
        while !Task.isCancelled {
            change = PendingAnswer()
            await step()
        }
        listening.cancel()
        var last = report
        (last.state, last.nextRunSeconds) = (.stopped, nil)
        await tell(last)
    }

    /// Takes the appliance's new orders; `nil` if it is gone. Returns the report for it.
    private func take(_ new: SyncOrders?) -> SyncServiceReport {
        let old = orders
        orders = new
        if let new {
            if new.captures > 0, new.captures != old?.captures { schedule.captured(at: Self.now) }
            // Another appliance counts from 0.
            report.metRequests = min(report.metRequests, new.runRequests)
            if new.runRequests > (old?.runRequests ?? report.metRequests) { schedule.order() }
            if new.isPaused, old?.isPaused == false { running?.cancel() }
            for asset in new.wanted where returning.insert(asset).inserted {
                Task { await bringBack(asset) }
            }
        }
        if new != old { change.give(()) }
        return report
    }

    /// Waits for the next thing to do, or runs.
    private func step() async {
        var configuration: Configuration?
        do {
            configuration = try configure()
        } catch {
            say("the configuration cannot be read: \(error)")
        }
        if let new = configuration?.settings, new != settings {
            settings = new
            schedule = SyncSchedule(new, now: Self.now, using: &generator)
        }
        if NetworkRoutes.hasRoute { schedule.reconnected(at: Self.now, using: &generator) }
        guard let configuration, let remote = configuration.remote, let orders else {
            return await rest(.off, nil)
        }
        let second = Clock.secondOfDay
        if orders.isPaused, !schedule.isOrdered { return await rest(.paused, nil) }
        let delay = schedule.delay(at: Self.now, secondOfDay: second)
        if delay > 0 {
            let isClosed = schedule.isOutsideWindow(secondOfDay: second)
            return await rest(isClosed ? .outsideWindow : stateBetweenRuns, delay)
        }
        await send(configuration, remote, meeting: orders.runRequests, secondOfDay: second)
    }

    private var stateBetweenRuns: SyncServiceReport.State {
        switch report.failure?.code {
        case nil: .idle
        case "sync.waitingForDisk": .waitingForDisk
        case "sync.unreachable" where schedule.isOffline: .offline
        default: .failing
        }
    }

    private func rest(_ state: SyncServiceReport.State, _ delay: Double?) async {
        var new = report
        (new.state, new.nextRunSeconds) = (state, delay.map { Int($0.rounded(.up)) })
        await tell(new)
        _ = await change.value(within: .seconds(min(max(delay ?? .infinity, 1), Self.patience)))
    }

    // MARK: - Runs

    private func send(
        _ configuration: Configuration, _ remote: SyncRemote, meeting requests: Int,
        secondOfDay second: Int64?
    ) async {
        // An order of a person overrides the window.
        let limit = schedule.isOrdered ? nil : schedule.secondsUntilClosing(secondOfDay: second)
        schedule.began()
        var new = report
        (new.state, new.nextRunSeconds) = (.sending, nil)
        new.run = SyncSummary()
        await tell(new)
        let failure: SyncFailure?
        do {
            failure = try await pass(configuration, remote, limit)
        } catch {
            // A person has paused the service; an order that the run has not met stands.
            schedule.ended(.succeeded, at: Self.now, using: &generator)
            if requests > report.metRequests { schedule.order() }
            return
        }
        let isOffline = failure?.code == "sync.unreachable" && !NetworkRoutes.hasRoute
        schedule.ended(
            failure == nil ? .succeeded : isOffline ? .offline : .failed, at: Self.now,
            using: &generator)
        if let failure {
            say("\(failure.message); next: \(failure.next)")
        } else if report.run.verified > 0 {
            let megabytes = report.run.bytes / 1_000_000
            say("\(report.run.verified) objects verified, \(megabytes) MB")
        }
        report.failure = failure
        report.metRequests = min(requests, orders?.runRequests ?? 0)
        new = report
        new.state = stateBetweenRuns
        await tell(new)
    }

    /// Runs a pass for at most `limit` seconds. Returns why it failed; `nil` if it did not.
    /// - Throws: `CancellationError` if the pass was stopped.
    private func pass(
        _ configuration: Configuration, _ remote: SyncRemote, _ limit: Double?
    ) async throws(CancellationError) -> SyncFailure? {
        let task = Task { [connect, settings, records, foreign] in
            try await within(.seconds(limit ?? 1e9)) {
                let rclone = Rclone(
                    settings, remote, configuration: configuration.rcloneConfiguration)
                let pass = SyncPass(
                    ledger: try connect(), remote: remote, rclone: rclone,
                    settings: settings, records: records, foreign: foreign
                ) { summary in
                    Task { await self.progressed(summary) }
                }
                return try await pass.run()
            }
        }
        running = task
        defer { running = nil }
        do {
            let summary = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            if let summary { report.run = summary }
            return summary?.failure ?? summary?.lastFailure
        } catch let error as CancellationError {
            throw error
        } catch {
            return Self.failure(error)
        }
    }

    /// Names an error of the ledger: an own one, such as that another process syncs, or any other.
    private static func failure(_ error: any Error) -> SyncFailure {
        if let error = error as? SyncFailure { return error }
        if let error = error as? any NamedFailure, error.code.hasPrefix("sync.") {
            return SyncFailure(error.code, error.message, next: error.next)
        }
        return SyncFailure("sync.ledger", "\(error)", next: "See: vitrine status")
    }

    // MARK: - Originals that come back

    /// Brings a wanted original back, also while a run is under way or the service is paused.
    private func bringBack(_ asset: String) async {
        var failure: SyncFailure?
        do {
            let configuration = try configure()
            guard let remote = configuration.remote else {
                throw SyncFailure(
                    "sync.noRemote", "no remote is configured",
                    next: "Name one in the configuration: [sync] remote")
            }
            let rclone = Rclone(
                location: remote.location, configuration: configuration.rcloneConfiguration)
            _ = try await SyncReturner(
                ledger: try connect(), remote: remote, rclone: rclone, staging: staging
            ).bringBack(asset)
        } catch {
            failure = Self.failure(error)
        }
        if let failure { say("\(failure.message); next: \(failure.next)") }
        try? await connect().returned(asset, failure)
        returning.remove(asset)
    }

    private func progressed(_ summary: SyncSummary) {
        // An earlier progress may come after a later one, and after the run.
        if running != nil, summary.verified >= report.run.verified { report.run = summary }
    }

    // MARK: - Words

    /// Reports a new state to the appliance at once. The listener repeats it.
    private func tell(_ new: SyncServiceReport) async {
        let isNew = new.state != report.state
        report = new
        guard isNew, orders != nil else { return }
        _ = try? await connect().exchange(report, knowing: 0)
    }

    /// Logs a line, unless it says the same as the last one.
    private func say(_ line: String) {
        if line != lastLine { log(line) }
        lastLine = line
    }
}

/// An error of the appliance, which names its kind and the next step.
package protocol NamedFailure: Error {
    var code: String { get }
    var message: String { get }
    var next: String { get }
}

/// Waits for the appliance's orders, on a thread of its own, because the requests block.
private actor Listener {
    private let executor = ThreadExecutor("sync-orders")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    private let connect: SyncService.Connect

    init(_ connect: @escaping SyncService.Connect) { self.connect = connect }

    /// The pause before the next attempt to reach the appliance.
    private static let reconnection = Duration.seconds(5)

    /// Passes orders on, and `nil` while there is no appliance, until the task is cancelled.
    func run(_ take: @Sendable (SyncOrders?) async -> SyncServiceReport) async {
        while !Task.isCancelled {
            var report = await take(nil)
            do {
                let appliance = try connect()
                var revision: Int64 = 0
                while !Task.isCancelled {
                    let orders = try await appliance.exchange(report, knowing: revision)
                    revision = orders.revision
                    report = await take(orders)
                }
            } catch {
                try? await Task.sleep(for: Self.reconnection)
            }
        }
    }
}
