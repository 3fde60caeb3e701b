// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media
internal import Synchronization

/// The reason why no output got a frame.
public enum DropCause: String, Sendable, CaseIterable {
    /// The driver skipped sequence numbers: no buffer was free, or the bus was too slow.
    case driver
    /// The driver flagged the frame, or it is empty, truncated or cannot be converted.
    case damaged
}

/// A session's counters over all its streams. The camera's thread writes; any thread may read.
public final class CaptureStatistics: Sendable {
    let captured = Atomic<Int>(0)
    let droppedByDriver = Atomic<Int>(0)
    let damaged = Atomic<Int>(0)
    let restarts = Atomic<Int>(0)
    let restamped = Atomic<Int>(0)
    /// The last heartbeat; `Int64.max` while the camera's thread is idle.
    private let beat = Atomic<Int64>(.max)

    /// Frames captured since the session was made, damaged ones included. Frames that could not be
    /// converted for lack of memory are not counted.
    public var framesCaptured: Int { captured.load(ordering: .relaxed) }
    /// Streams that were restarted because no frame came.
    public var streamRestarts: Int { restarts.load(ordering: .relaxed) }
    /// Frames whose impossible timestamp (of another clock, or before the last one) was replaced.
    public var framesRestamped: Int { restamped.load(ordering: .relaxed) }

    /// When the camera's thread last made progress, in nanoseconds of `CLOCK_MONOTONIC`; `nil`
    /// while it is idle. A thread makes progress at least every two seconds, but opening a camera
    /// may take longer.
    public var lastHeartbeat: Int64? {
        let time = beat.load(ordering: .relaxed)
        return time == .max ? nil : time
    }

    func moved(at now: Int64 = Clock.monotonic) { beat.store(now, ordering: .relaxed) }

    /// Records that the camera's thread is idle.
    func rested() { beat.store(.max, ordering: .relaxed) }

    /// Returns the frames dropped for this cause since the session was made. ``DropCause/driver``
    /// counts missing sequence numbers within a stream; a step of 1000 or more means that the
    /// driver's counter restarted, and adds nothing.
    public func framesDropped(_ cause: DropCause) -> Int {
        switch cause {
        case .driver: droppedByDriver.load(ordering: .relaxed)
        case .damaged: damaged.load(ordering: .relaxed)
        }
    }
}
