// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO
public import Media

/// The timings of a digital video source, such as HDMI.
public struct VideoTimings: Sendable, Equatable {
    /// The size of the picture in pixels.
    public let dimensions: Dimensions
    /// The time from picture to picture in nanoseconds; 0 if unknown.
    public let frameInterval: Int64
    /// The frame rate; 0 if unknown.
    public var framesPerSecond: Double {
        frameInterval > 0 ? 1e9 / Double(frameInterval) : 0
    }
    fileprivate let raw: cv4l2_timings

    fileprivate init(_ raw: cv4l2_timings) {
        self.raw = raw
        dimensions = Dimensions(width: Int(raw.width), height: Int(raw.height))
        frameInterval = raw.interval_ns
    }

    /// Returns whether size and frame interval are the same. Intervals may differ by 0.5 %, because
    /// clocks are never exactly alike.
    public static func == (left: VideoTimings, right: VideoTimings) -> Bool {
        left.dimensions == right.dimensions
            && abs(left.frameInterval - right.frameInterval) <= left.frameInterval / 200
    }
}

extension VideoDevice {
    /// Returns the timings that the source sends now (`VIDIOC_QUERY_DV_TIMINGS`). Throws `ENOLINK`
    /// without a signal, `ENOLCK` and `ERANGE` if the signal is not understood.
    public func detectTimings() throws(SystemCallError) -> VideoTimings {
        var raw = cv4l2_timings()
        try request("VIDIOC_QUERY_DV_TIMINGS") { unsafe cv4l2_query_dv_timings($0, &raw) }
        return VideoTimings(raw)
    }

    /// Returns the timings that the device is set to. Corresponds to `VIDIOC_G_DV_TIMINGS`.
    public func timings() throws(SystemCallError) -> VideoTimings {
        var raw = cv4l2_timings()
        try request("VIDIOC_G_DV_TIMINGS") { unsafe cv4l2_g_dv_timings($0, &raw) }
        return VideoTimings(raw)
    }

    /// Sets the device to these timings; its formats then have their size (`VIDIOC_S_DV_TIMINGS`).
    /// Throws `EBUSY` while the device streams.
    public func setTimings(_ timings: VideoTimings) throws(SystemCallError) {
        var raw = timings.raw
        try request("VIDIOC_S_DV_TIMINGS") { unsafe cv4l2_s_dv_timings($0, &raw) }
    }

    /// Makes ``Poller/Readiness/priority`` report changed timings (`VIDIOC_SUBSCRIBE_EVENT`).
    public func subscribeToSourceChanges() throws(SystemCallError) {
        try request("VIDIOC_SUBSCRIBE_EVENT") { cv4l2_subscribe_source_change($0) }
    }

    /// Returns whether the source has changed since the last call. Corresponds to `VIDIOC_DQEVENT`.
    public func takeSourceChanges() throws(SystemCallError) -> Bool {
        var hasChanged = false
        while true {
            var changes: UInt32 = 0
            do throws(SystemCallError) {
                try request("VIDIOC_DQEVENT") { unsafe cv4l2_dqevent($0, &changes) }
            } catch {
                if error.code == ENOENT { return hasChanged }
                throw error
            }
            if changes != 0 { hasChanged = true }
        }
    }
}
