// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import FoundationEssentials
package import Library

extension StatusReport.Sync {
    /// Joins what the library and the service say.
    /// - Parameter remote: `nil` if the configuration names none.
    package init(
        _ remote: SyncRemote?, _ backlog: SyncBacklog, _ report: SyncServiceReport
    ) {
        self.init()
        pending = backlog.pending
        bytesPending = backlog.bytesPending
        oldestPendingSeconds = backlog.oldestPendingSeconds
        lastSuccess = backlog.lastSuccess.map { "\($0)" }
        lastError = report.failure.map {
            Failure(code: $0.code, message: $0.message, next: $0.next)
        }
        nextRunSeconds = report.nextRunSeconds
        let state: SyncServiceReport.State =
            switch report.state {
            case _ where remote == nil: .off
            case _ where backlog.isPaused: .paused
            case .idle where pending > 0: .waiting
            default: report.state
            }
        self.state = state.rawValue
    }
}
