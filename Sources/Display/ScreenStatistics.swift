// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Synchronization

/// A screen's counters, written by whichever thread drives the display and read by anybody.
public final class ScreenStatistics: Sendable {
    init() {
        // It begins to live now.
        commitTime.store(Clock.monotonic, ordering: .relaxed)
        turnTime.store(Clock.monotonic, ordering: .relaxed)
    }

    let shown = Atomic<Int>(0)
    let commits = Atomic<Int>(0)
    let bytesPerFrame = Atomic<Int>(0)
    let undecodable = Atomic<Int>(0)
    let commitTime = Atomic<Int64>(0)
    let turnTime = Atomic<Int64>(0)
    let latency = LatencyHistogram()

    /// Camera frames that have reached the screen.
    public var framesShown: Int { shown.load(ordering: .relaxed) }
    /// Bytes that the CPU writes for each frame; 0 when frames are scanned out as they are.
    public var bytesCopiedPerFrame: Int { bytesPerFrame.load(ordering: .relaxed) }
    /// Frames that were too damaged to be shown.
    public var framesUndecodable: Int { undecodable.load(ordering: .relaxed) }
    /// When the display was last committed to, or looked for while there was none, and its thread had
    /// its turn: nanoseconds of `CLOCK_MONOTONIC`. The watchdog watches it.
    public var lastHeartbeat: Int64 {
        min(commitTime.load(ordering: .relaxed), turnTime.load(ordering: .relaxed))
    }

    /// When the display was last committed to: nanoseconds of `CLOCK_MONOTONIC`.
    package var lastCommitTime: Int64 { commitTime.load(ordering: .relaxed) }

    /// From a frame's timestamp to the flip that showed it, in milliseconds; `nil` before the first. Of frames that
    /// come at two thirds of the display's rate or less one a second is timed, of others each.
    public func latencyMilliseconds(_ quantile: Double) -> Double? { latency.quantile(quantile) }
}
