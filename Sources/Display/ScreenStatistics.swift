// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Synchronization

/// A screen's counters. The thread that drives the display writes them; any thread reads them.
public final class ScreenStatistics: Sendable {
    init() {
        // The screen counts as alive from its creation.
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
    /// The usual time from a played frame's arrival to its flip, in nanoseconds; 0 before any.
    let playbackLatency = Atomic<Int64>(0)

    /// Camera frames that have reached the screen.
    public var framesShown: Int { shown.load(ordering: .relaxed) }
    /// Bytes that the CPU writes per frame; 0 if frames are scanned out directly.
    public var bytesCopiedPerFrame: Int { bytesPerFrame.load(ordering: .relaxed) }
    /// Frames that were too damaged to be shown.
    public var framesUndecodable: Int { undecodable.load(ordering: .relaxed) }
    /// The last sign of life for the watchdog, in nanoseconds of `CLOCK_MONOTONIC`: the older of
    /// the last commit and turn; without an active display, each turn counts as a commit.
    public var lastHeartbeat: Int64 {
        min(commitTime.load(ordering: .relaxed), turnTime.load(ordering: .relaxed))
    }

    /// The time of the last commit, as ``lastHeartbeat`` counts it.
    package var lastCommitTime: Int64 { commitTime.load(ordering: .relaxed) }

    /// Returns a quantile of the time from a frame's timestamp to its flip, in milliseconds; `nil`
    /// before the first. If frames come at two thirds of the display's rate or less, one per second
    /// is timed; otherwise all are.
    public func latencyMilliseconds(_ quantile: Double) -> Double? { latency.quantile(quantile) }
}
