// SPDX-License-Identifier: GPL-3.0-or-later

/// The last frame's clock and number, for comparison with the next frame.
struct FrameHistory {
    var clock = FrameClock()
    var sequence: UInt32?
}

/// The progress of a camera's stream. Times are nanoseconds of `CLOCK_MONOTONIC`.
package struct StreamProgress {
    private static let stallLimit: Int64 = 1_000_000_000
    /// A silence noticed this late shows that the process had no CPU time; nanoseconds.
    private static let absence: Int64 = 50_000_000
    private static let stallsBeforeReopening = 3
    /// The longest believable frame interval; nanoseconds.
    private static let longestInterval: Int64 = 20_000_000_000

    /// Nanoseconds between frames, as the driver reports; 0 if it does not.
    private let frameInterval: Int64
    private var stalls = 0
    var history = FrameHistory()
    /// When the last good frame came, or the stream started.
    var lastGood: Int64
    /// Nanoseconds between the last two good frames; the first is measured from the start.
    private var lastGap: Int64 = 0
    /// Whether a silence was excused since the last good frame.
    private var isExcused = false
    /// Whether any frame has come, good or not.
    package var hasDelivered = false
    /// When the last frame came that could be shown.
    private(set) var lastShowable: Int64
    /// Whether a good frame has come; until then it is unknown whether any will.
    var hasBegun = false
    var sourceHasChanged = false

    package init(frameInterval: Int64, at now: Int64) {
        self.frameInterval = frameInterval
        (lastGood, lastShowable) = (now, now)
    }

    /// Records a good frame.
    package mutating func frameCame(at now: Int64) {
        if !isExcused { lastGap = now - lastGood }
        (stalls, isExcused, lastShowable, lastGood) = (0, false, now, now)
    }

    /// Records a silence as long as `patience`, and returns whether the camera must be restarted. A
    /// silence that is noticed late is excused once, because a suspension of process or machine may
    /// have stopped the camera too: the wait starts again.
    package mutating func hasStalled(at now: Int64, after patience: Int64) -> Bool {
        if !isExcused, now - lastGood > patience + Self.absence {
            (isExcused, lastGood) = (true, now)
            return false
        }
        stalls += 1
        return true
    }

    /// Whether restarts do not help: the camera must be opened again.
    package var isHopeless: Bool { stalls > Self.stallsBeforeReopening }

    package mutating func wasRestarted(at now: Int64) { (lastGood, lastGap) = (now, 0) }

    /// How long to wait for a good frame, in nanoseconds. Frames that are far apart, as with long
    /// exposures, get more time. For the first frame, each restart doubles the wait, because a
    /// camera may need most time to start.
    package var patience: Int64 {
        let apart = min(max(frameInterval, lastGap), Self.longestInterval)
        let usual = max(Self.stallLimit, 3 * apart)
        return hasDelivered ? usual : usual << min(stalls, Self.stallsBeforeReopening)
    }
}
