// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media
internal import Synchronization

/// What becomes of commits: when they are on screen, and when the next one may be made.
extension ScreenLoop {
    private static let flipLimit: Int64 = 3_000_000_000
    /// How long a display may refuse commits for want of time or room.
    private static let refusalLimit: Int64 = 3_000_000_000

    /// What the thread may do until something happens.
    enum Rest {
        case untilWork
        /// There is work, for which the display is not ready before its flip.
        case untilFlip
        /// There is work, and nobody tells when the display is ready: it is tried again.
        case untilRefresh(milliseconds: Int32)
    }

    /// What became of the last commit.
    enum Flight {
        /// It is on screen.
        case over
        /// Its flip will be read.
        case announced
        /// It is on screen when the next one is not refused.
        case unannounced
    }

    /// How long what is to be committed waits for the display.
    var restBeforeCommit: Rest {
        if flight == .announced { return .untilFlip }
        return .untilRefresh(milliseconds: Int32(refreshInterval / 1_000_000 + 1))
    }

    /// Whether nothing that was committed is still on its way.
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

    /// Whether the display may be asked again.
    func mayBeRetried(_ error: SystemCallError, at now: Int64) -> Bool {
        error.isMomentary && now - commitTime < Self.refusalLimit
    }

    mutating func wasCommitted(_ flight: Flight, at now: Int64) {
        // It was not refused: the one before is on screen.
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

    /// The committed frame is on screen: its predecessor is done with.
    mutating func retire(flippedAt time: Int64) {
        flight = .over
        flipTime = time
        guard next.isNew else { return }  // the same once more
        if next.image != nil {
            statistics.shown.add(1, ordering: .relaxed)
            statistics.latency.add(time - next.timestamp)
            if videoHasFailed { emit(.videoShown) }
            videoHasFailed = false
        }
        swap(&shown, &next)
        next.clear()
    }
}
