// SPDX-License-Identifier: GPL-3.0-or-later

/// The last frame's clock and number, with which the next frame is compared.
struct FrameHistory {
    var clock = FrameClock()
    var sequence: UInt32?
}

/// How a camera's stream is doing. Times are nanoseconds of `CLOCK_MONOTONIC`; it reads no clock itself.
package struct StreamProgress {
    private static let stallLimit: Int64 = 1_000_000_000
    /// A silence that is noticed so many nanoseconds after it is due: the process itself had no CPU time.
    private static let absence: Int64 = 50_000_000
    private static let stallsBeforeReopening = 3
    /// Frames that are farther apart, as far as a driver is to be believed, are none; nanoseconds.
    private static let longestInterval: Int64 = 20_000_000_000

    /// Nanoseconds from frame to frame, as the driver says; 0 when it does not.
    private let frameInterval: Int64
    private var stalls = 0
    var history = FrameHistory()
    /// When a good frame came last, or the stream was started.
    var lastGood: Int64
    /// From the frame before the last one, or the start, to the last one: nanoseconds.
    private var lastGap: Int64 = 0
    /// A silence was excused since a frame came last.
    private var isExcused = false
    /// Whether a frame has come, good or not.
    package var hasDelivered = false
    /// The time of the last frame that could be shown.
    private(set) var lastShowable: Int64
    /// Whether the first good frame has come: before it nobody knows that any will come.
    var hasBegun = false
    /// Whether the source that is plugged into the camera has changed its signal.
    var sourceHasChanged = false

    package init(frameInterval: Int64, at now: Int64) {
        self.frameInterval = frameInterval
        (lastGood, lastShowable) = (now, now)
    }

    /// A good frame has come.
    package mutating func frameCame(at now: Int64) {
        if !isExcused { lastGap = now - lastGood }
        (stalls, isExcused, lastShowable, lastGood) = (0, false, now, now)
    }

    /// Nothing came for as long as ``patience`` was. Where the whole machine stood still, or this process, the camera
    /// may have had no time either: it gets its own anew, once.
    ///
    /// - Returns: whether the camera must be started anew.
    package mutating func hasStalled(at now: Int64, after patience: Int64) -> Bool {
        if !isExcused, now - lastGood > patience + Self.absence {
            (isExcused, lastGood) = (true, now)
            return false
        }
        stalls += 1
        return true
    }

    /// Starting it anew does not help: it must be opened anew.
    package var isHopeless: Bool { stalls > Self.stallsBeforeReopening }

    /// The camera was streamed off and on.
    package mutating func wasRestarted(at now: Int64) { (lastGood, lastGap) = (now, 0) }

    /// How long a good frame is waited for. Those that are far apart, as long exposures are, are waited for longer;
    /// and the first one each time as long again, because starting anew is what a camera would need most time for.
    package var patience: Int64 {
        let apart = min(max(frameInterval, lastGap), Self.longestInterval)
        let usual = max(Self.stallLimit, 3 * apart)
        return hasDelivered ? usual : usual << min(stalls, Self.stallsBeforeReopening)
    }
}
