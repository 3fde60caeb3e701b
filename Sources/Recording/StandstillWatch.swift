// SPDX-License-Identifier: GPL-3.0-or-later

package import LinuxIO

/// Tells a stalled encoder thread from one that is slow on a busy machine.
///
/// A stalled thread makes no progress, uses no CPU time and is not runnable. A thread that only
/// uses CPU time is in an endless loop once it has used more than any picture needs.
package struct StandstillWatch: Sendable {
    /// Nanoseconds without progress after which a thread is examined (`suspicion`), counts as
    /// stalled unless it uses or awaits a CPU (`patience`), and counts as stalled in any case
    /// (`longestWait`).
    private static let suspicion: Int64 = 1_000_000_000
    private static let (patience, longestWait): (Int64, Int64) = (1_500_000_000, 60_000_000_000)
    /// Nanoseconds between examinations, which cost CPU time that a busy machine's encoder lacks.
    private static let interval: Int64 = 180_000_000
    /// A working thread uses at least `work` nanoseconds of CPU time per `span`, even on a busy
    /// machine.
    private static let (work, span): (Int64, Int64) = (2_000_000, 400_000_000)
    /// Nanoseconds of CPU time that no picture needs.
    private static let longestWork: Int64 = 10_000_000_000

    /// The CPU time at the first examination since the last progress.
    private var first: (moved: Int64, processorTime: Int64)?
    /// The CPU time when it last rose, or a thread was last runnable.
    private var seen: (time: Int64, processorTime: Int64)?

    package init() {}

    /// Whether a thread should be examined that last made progress at `moved` and was last examined
    /// at `looked`, in nanoseconds.
    package static func isDue(at time: Int64, moved: Int64, looked: Int64) -> Bool {
        moved > 0 && time - moved > suspicion && time - looked > interval
    }

    /// Returns whether the thread is stalled.
    ///
    /// - Parameters:
    ///   - time: now, in nanoseconds of `CLOCK_MONOTONIC`.
    ///   - moved: the time of its last progress.
    ///   - activity: the activity of the thread and of those that work for it.
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
        // The sum falls when one of the threads ends.
        guard let seen, !activity.isRunnable,
            (0..<Self.work).contains(processorTime - seen.processorTime)
        else {
            seen = (time, processorTime)
            return false
        }
        return time - moved > Self.patience && time - seen.time >= Self.span
    }
}
