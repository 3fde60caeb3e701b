// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media
internal import Synchronization

/// The state of commits: when they are on screen, and when the next one may be made.
extension ScreenLoop {
    private static let flipLimit: Int64 = 3_000_000_000
    /// How long a display may refuse commits because it is busy or short of resources.
    private static let refusalLimit: Int64 = 3_000_000_000

    /// How long the thread may sleep.
    enum Rest {
        case untilWork
        /// There is work, but the display is not ready before its flip.
        case untilFlip
        /// There is work, but nothing tells when the display is ready; the thread tries again.
        case untilRefresh(milliseconds: Int32)
    }

    enum Flight {
        /// The commit is on screen.
        case over
        /// The commit's flip will be read.
        case announced
        /// The commit is on screen once the next one is accepted.
        case unannounced
    }

    var restBeforeCommit: Rest {
        if flight == .announced { return .untilFlip }
        return .untilRefresh(milliseconds: Int32(refreshInterval / 1_000_000 + 1))
    }

    /// Returns whether no commit is pending any more. Throws if an announced flip is overdue.
    mutating func hasFlipped(
        _ device: any ScanoutDevice, at now: Int64
    ) throws -> Bool {
        switch flight {
        case .over: return true
        case .unannounced: return now - commitTime >= refreshInterval
        case .announced: break
        }
        if let time = try device.readFlip() {
            retire(flippedAt: time)
            return true
        }
        if now - commitTime > Self.flipLimit {
            throw DisplayError(.failed, "\(device.connectorName) has not flipped for 3 s")
        }
        return false
    }

    mutating func waitForFlip(_ device: any ScanoutDevice) throws {
        while try !hasFlipped(device, at: Clock.monotonic) {
            sleep.waitForFlip(milliseconds: flight == .announced ? 100 : 10)
        }
    }

    func mayBeRetried(_ error: SystemCallError, at now: Int64) -> Bool {
        error.isMomentary && now - commitTime < Self.refusalLimit
    }

    mutating func wasCommitted(_ flight: Flight, at now: Int64) {
        // This commit was accepted, so the previous one is on screen.
        if self.flight == .unannounced {
            statistics.shown.add(1, ordering: .relaxed)
            leaving.clear()
        }
        self.flight = flight
        owesCommit = false
        commitTime = now
        statistics.commits.add(1, ordering: .relaxed)
        statistics.commitTime.store(now, ordering: .relaxed)
    }

    /// Records that the committed frame is on screen, and releases its predecessor.
    mutating func retire(flippedAt time: Int64) {
        flight = .over
        flipTime = time
        guard next.isNew else { return }  // the same frame again
        if next.image != nil {
            statistics.shown.add(1, ordering: .relaxed)
            note(latency: time - next.timestamp)
            if videoHasFailed { emit(.videoShown) }
            videoHasFailed = false
        }
        swap(&shown, &next)
        next.clear()
    }
}
