// SPDX-License-Identifier: GPL-3.0-or-later

/// The sync service's side of the talk with the appliance: what it does now.
package struct SyncServiceReport: Hashable, Sendable, Codable {
    /// The states of the service.
    package enum State: String, Sendable, Codable, CaseIterable {
        /// The configuration names no remote.
        case off
        /// The last run left nothing behind.
        case idle
        /// Something waits for the next run. Only the appliance says so.
        case waiting
        /// A run is under way.
        case sending
        /// A person has paused the service.
        case paused
        /// Something waits for the part of the day in which the service sends.
        case outsideWindow
        /// Something waits for a network.
        case offline
        /// Something waits for the disk of the remote's folder.
        case waitingForDisk
        /// The last run failed; another follows.
        case failing
        /// The service does not run.
        case stopped
    }

    /// The number of this report. It grows with each change, and with each start of a service.
    package var number: Int64 = 0
    /// The state.
    package var state: State
    /// Why the last run failed; `nil` if it did not.
    package var failure: SyncFailure?
    /// The seconds until the next run; `nil` if none is planned.
    package var nextRunSeconds: Int?
    /// The ``SyncOrders/runRequests`` that the last run has met.
    package var metRequests = 0
    /// The work of this run, or of the last one.
    package var run = SyncSummary()

    /// Creates a report of a service that has sent nothing.
    package init(_ state: State) { self.state = state }
}

/// The work that a run has done so far.
package struct SyncSummary: Hashable, Sendable, Codable {
    /// Objects that are proven to be at the remote.
    package var verified = 0
    /// Their size.
    package var bytes: Int64 = 0
    /// Objects of purged assets that were handled.
    package var removed = 0
    /// Objects that failed.
    package var failed = 0
    /// Why the last of them failed.
    package var lastFailure: SyncFailure?
    /// Why the remote as a whole failed; `nil` if everything that was due was tried.
    package var failure: SyncFailure?

    /// Creates the summary of a run that has done nothing.
    package init() {}
}

/// The appliance's side of the talk with the sync service.
package struct SyncOrders: Hashable, Sendable, Codable {
    /// The number of these orders. It grows with each change, and with each start of an appliance.
    package var revision: Int64
    /// Photos and clips stored since the appliance started.
    package var captures = 0
    /// The number of times that a person has asked for a run.
    package var runRequests = 0
    /// Whether a person has paused the service.
    package var isPaused = false
    /// Assets whose originals are to be brought back.
    package var wanted: Set<String> = []

    /// Creates the first orders of an appliance.
    package init(revision: Int64) { self.revision = revision }
}

/// The appliance as its sync service sees it.
package protocol SyncAppliance: SyncLedger {
    /// Reports what the service does, and returns the orders. If the service knows the current
    /// ones, the answer comes with the next change, or after half a minute.
    /// - Parameter revision: The orders that the service knows; 0 for none.
    func exchange(_ report: SyncServiceReport, knowing revision: Int64) async throws -> SyncOrders

    /// Reports the end of the work for a wanted original.
    /// - Parameter failure: Why it did not come back; `nil` if it did.
    func returned(_ asset: String, _ failure: SyncFailure?) async throws
}
