// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media
internal import Synchronization

/// Why a frame did not reach anybody.
public enum DropCause: String, Sendable, CaseIterable {
    /// The driver skipped sequence numbers: no free buffer, or the bus was too slow.
    case driver
    /// The driver flagged the picture, or it is none: empty, a JPEG cut short, not to be converted.
    case damaged
}

/// A session's counters over all its streams, written by the camera's thread and read by anybody.
public final class CaptureStatistics: Sendable {
    let captured = Atomic<Int>(0)
    let droppedByDriver = Atomic<Int>(0)
    let damaged = Atomic<Int>(0)
    let restarts = Atomic<Int>(0)
    let restamped = Atomic<Int>(0)
    /// `Int64.max` while the camera's thread has nothing to do.
    private let beat = Atomic<Int64>(.max)

    /// Since the session was made, damaged ones included; those that found no memory free are not.
    public var framesCaptured: Int { captured.load(ordering: .relaxed) }
    /// Streams started again because no frame came.
    public var streamRestarts: Int { restarts.load(ordering: .relaxed) }
    /// Frames whose timestamp could not be (of another clock, or earlier than the one before) and was replaced.
    public var framesRestamped: Int { restamped.load(ordering: .relaxed) }

    /// When the camera's thread last moved, nanoseconds of `CLOCK_MONOTONIC`; `nil` while it has nothing to
    /// do. It moves every two seconds at the least, but opening a camera may take several.
    public var lastHeartbeat: Int64? {
        let time = beat.load(ordering: .relaxed)
        return time == .max ? nil : time
    }

    /// The camera's thread moves.
    func moved(at now: Int64 = Clock.monotonic) { beat.store(now, ordering: .relaxed) }

    /// The camera's thread has nothing to do.
    func rested() { beat.store(.max, ordering: .relaxed) }

    /// Since the session was made. Of ``DropCause/driver``: the numbers missing within a stream,
    /// where a step of 1000 or more is a counter that began anew, and adds nothing.
    public func framesDropped(_ cause: DropCause) -> Int {
        switch cause {
        case .driver: droppedByDriver.load(ordering: .relaxed)
        case .damaged: damaged.load(ordering: .relaxed)
        }
    }
}
