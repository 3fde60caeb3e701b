// SPDX-License-Identifier: GPL-3.0-or-later

package import Network
package import Settings

/// Decides when the sync service runs. A value without a clock: times are seconds on a clock that
/// never jumps, so that a simulation of many kiosks runs the same code.
package struct SyncSchedule: Sendable {
    /// How a run ended.
    package enum Outcome: Sendable {
        case succeeded
        /// The remote as a whole failed.
        case failed
        /// The remote cannot be reached, because there is no network.
        case offline
    }

    /// The seconds without a further photo after which a photo is sent.
    package static let quietTime = 30.0
    /// The most seconds until the first run after the network is back, unless the interval is
    /// shorter. Many kiosks may have lost it together.
    static let reconnection = 300.0

    private let interval: Double
    private let followsCapture: Bool
    private let window: DailyPeriod?
    private let backoff: Backoff
    /// When the next regular run begins.
    private var due: Double
    private var failures = 0
    /// Whether the last run found no network.
    package private(set) var isOffline = false
    /// When the run after new photos begins.
    private var afterCapture: Double?
    /// Whether a person waits for a run.
    package private(set) var isOrdered = false
    /// The delay after the window opens.
    private var spread: Double

    /// Creates the schedule of a service that starts now. The first run comes at a random time
    /// within an interval: kiosks that lost their power together do not come back together.
    package init(
        _ settings: SyncSettings, backoff: Backoff = .standard, now: Double,
        using generator: inout some RandomNumberGenerator
    ) {
        interval = Double(settings.intervalMinutes) * 60
        followsCapture = settings.followsCapture
        window = settings.window
        self.backoff = backoff
        due = now + .random(in: 0...interval, using: &generator)
        spread = .random(in: 0...interval, using: &generator)
    }

    /// Notes that a photo or clip was stored.
    package mutating func captured(at now: Double) {
        if followsCapture { afterCapture = now + Self.quietTime }
    }

    /// Notes that a person wants a run at once, whatever the window says.
    package mutating func order() { isOrdered = true }

    /// Notes that the network is there again.
    package mutating func reconnected(
        at now: Double, using generator: inout some RandomNumberGenerator
    ) {
        guard isOffline else { return }
        isOffline = false
        // What was stored meanwhile waits for this run, too, or all would begin at once.
        afterCapture = nil
        let longest = min(interval, Self.reconnection)
        due = min(due, now + .random(in: 0...longest, using: &generator))
    }

    /// Notes that a run has begun: what is stored from now on needs another.
    package mutating func began() {
        isOrdered = false
        afterCapture = nil
    }

    /// Notes how a run has ended.
    package mutating func ended(
        _ outcome: Outcome, at now: Double, using generator: inout some RandomNumberGenerator
    ) {
        isOffline = outcome == .offline
        failures = outcome == .failed ? failures + 1 : 0
        due =
            outcome == .failed
            ? now + Double(backoff.delay(attempts: failures, using: &generator))
            : now + interval * .random(in: 0.9...1.1, using: &generator)
        spread = .random(in: 0...interval, using: &generator)
    }

    /// Returns the seconds until the next run; 0 if it begins now.
    /// - Parameter secondOfDay: The seconds since local midnight; `nil` while the clock may be
    ///   wrong, which closes no window.
    package mutating func delay(at now: Double, secondOfDay: Int64?) -> Double {
        if isOrdered { return 0 }
        if let closed = secondsUntilWindow(secondOfDay) {
            afterCapture = nil
            due = max(due, now + closed + spread)
        }
        var next = due
        // A photo ends no delay that a failure has caused.
        if let afterCapture, failures == 0, !isOffline { next = min(next, afterCapture) }
        return max(0, next - now)
    }

    /// Whether the window is closed.
    package func isOutsideWindow(secondOfDay: Int64?) -> Bool {
        secondsUntilWindow(secondOfDay) != nil
    }

    /// Returns the seconds until the window closes; `nil` if there is none.
    package func secondsUntilClosing(secondOfDay: Int64?) -> Double? {
        guard let window, let secondOfDay else { return nil }
        return Self.seconds(from: secondOfDay, toMinute: window.end)
    }

    private func secondsUntilWindow(_ secondOfDay: Int64?) -> Double? {
        guard let window, let secondOfDay, !window.contains(secondOfDay: secondOfDay) else {
            return nil
        }
        return Self.seconds(from: secondOfDay, toMinute: window.begin)
    }

    private static func seconds(from second: Int64, toMinute minute: Int) -> Double {
        let seconds = Int64(minute) * 60 - second
        return Double(seconds < 0 ? seconds + 86_400 : seconds)
    }
}
