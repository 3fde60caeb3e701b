// SPDX-License-Identifier: GPL-3.0-or-later

package import LinuxIO

/// Tells an encoder's thread that stands still from one that is at work on a machine that has little time for it.
///
/// Who stands still does nothing, takes no processor's time either, and does not wait for any. Who only takes or wants
/// that may be in a loop without an end: it has its time, too. To be asked a few times a second.
package struct StandstillWatch: Sendable {
    /// Nanoseconds for which a thread at work need not have done anything: after `suspicion` it is looked at, after
    /// `patience` it stands still, and after `longestWork` whatever it is at.
    package static let suspicion: Int64 = 1_000_000_000
    private static let patience: Int64 = 1_500_000_000
    private static let longestWork: Int64 = 10_000_000_000
    /// Who is at work has so much of a processor, in nanoseconds, of so many: little, on a machine that is busy.
    private static let (work, span): (Int64, Int64) = (2_000_000, 400_000_000)

    /// What the processor's time was when it had risen last.
    private var seen: (time: Int64, processorTime: Int64)?

    package init() {}

    /// Whether it stands still.
    ///
    /// - Parameters:
    ///   - time: now, nanoseconds of `CLOCK_MONOTONIC`.
    ///   - moved: when it had done something last.
    ///   - activity: its own, and that of the threads which work for it.
    package mutating func standsStill(
        at time: Int64, moved: Int64, activity: NamedThread.Activity
    ) -> Bool {
        guard time - moved > Self.suspicion else {
            seen = nil
            return false
        }
        if time - moved > Self.longestWork { return true }
        let work = activity.processorTime
        guard let seen, seen.time > moved, !activity.isRunnable,
            work - seen.processorTime < Self.work
        else {
            seen = (time, work)
            return false
        }
        return time - moved > Self.patience && time - seen.time >= Self.span
    }
}
