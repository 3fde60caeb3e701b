// SPDX-License-Identifier: GPL-3.0-or-later

package import LinuxIO

/// Tells an encoder's thread that stands still from one that is at work on a machine that has little time for it.
///
/// Who stands still does nothing, takes no processor's time either, and does not wait for any. Who only takes that is in a
/// loop without an end when it has taken more than any picture needs.
package struct StandstillWatch: Sendable {
    /// Nanoseconds for which a thread at work need not have done anything: after `suspicion` it is looked at, after
    /// `patience` it stands still, and after `longestWait` whatever it is at.
    private static let suspicion: Int64 = 1_000_000_000
    private static let (patience, longestWait): (Int64, Int64) = (1_500_000_000, 60_000_000_000)
    /// Nanoseconds from look to look: each costs what a busy machine's encoder lacks.
    private static let interval: Int64 = 180_000_000
    /// Who is at work has so much of a processor, in nanoseconds, of so many: little, on a machine that is busy.
    private static let (work, span): (Int64, Int64) = (2_000_000, 400_000_000)
    /// Nanoseconds of a processor that nobody needs for one picture.
    private static let longestWork: Int64 = 10_000_000_000

    /// What the processor's time was at the first look since it had done something.
    private var first: (moved: Int64, processorTime: Int64)?
    /// What it was when it had risen last, or one waited for a processor.
    private var seen: (time: Int64, processorTime: Int64)?

    package init() {}

    /// Whether who had done something last at `moved`, and was looked at last at `looked`, is to be looked at; nanoseconds.
    package static func isDue(at time: Int64, moved: Int64, looked: Int64) -> Bool {
        moved > 0 && time - moved > suspicion && time - looked > interval
    }

    /// Whether it stands still.
    ///
    /// - Parameters:
    ///   - time: now, nanoseconds of `CLOCK_MONOTONIC`.
    ///   - moved: when it had done something last.
    ///   - activity: its own, and that of the threads which work for it.
    package mutating func standsStill(
        at time: Int64, moved: Int64, activity: NamedThread.Activity
    ) -> Bool {
        guard time - moved > Self.suspicion else { return false }
        let processorTime = activity.processorTime
        guard let first, first.moved == moved else {
            (first, seen) = ((moved, processorTime), (time, processorTime))
            return false
        }
        if time - moved > Self.longestWait
            || processorTime - first.processorTime > Self.longestWork
        {
            return true
        }
        // The time of a thread that has ended is gone.
        guard let seen, !activity.isRunnable,
            (0..<Self.work).contains(processorTime - seen.processorTime)
        else {
            seen = (time, processorTime)
            return false
        }
        return time - moved > Self.patience && time - seen.time >= Self.span
    }
}
