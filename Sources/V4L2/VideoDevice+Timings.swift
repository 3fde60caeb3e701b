// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO
public import Media

/// What a digital video source sends, such as HDMI.
public struct VideoTimings: Sendable, Equatable {
    /// Of the picture, in pixels.
    public let dimensions: Dimensions
    /// Nanoseconds from picture to picture; 0 when unknown.
    public let frameInterval: Int64
    /// 0 when unknown.
    public var framesPerSecond: Double {
        frameInterval > 0 ? 1e9 / Double(frameInterval) : 0
    }
    fileprivate let raw: cv4l2_timings

    fileprivate init(_ raw: cv4l2_timings) {
        self.raw = raw
        dimensions = Dimensions(width: Int(raw.width), height: Int(raw.height))
        frameInterval = raw.interval_ns
    }

    /// Whether the same is sent; clocks are never exactly alike.
    public static func == (left: VideoTimings, right: VideoTimings) -> Bool {
        left.dimensions == right.dimensions
            && abs(left.frameInterval - right.frameInterval) <= left.frameInterval / 200
    }
}

extension VideoDevice {
    /// What the source sends now. Corresponds to `VIDIOC_QUERY_DV_TIMINGS`.
    ///
    /// - Throws: `ENOLINK` without a signal, `ENOLCK` and `ERANGE` for one that is not understood.
    public func detectTimings() throws(SystemCallError) -> VideoTimings {
        var raw = cv4l2_timings()
        try request("VIDIOC_QUERY_DV_TIMINGS") { unsafe cv4l2_query_dv_timings($0, &raw) }
        return VideoTimings(raw)
    }

    /// What it is set up for. Corresponds to `VIDIOC_G_DV_TIMINGS`.
    public func timings() throws(SystemCallError) -> VideoTimings {
        var raw = cv4l2_timings()
        try request("VIDIOC_G_DV_TIMINGS") { unsafe cv4l2_g_dv_timings($0, &raw) }
        return VideoTimings(raw)
    }

    /// Sets it up for these; its formats have that size then. Corresponds to `VIDIOC_S_DV_TIMINGS`.
    ///
    /// - Throws: `EBUSY` while somebody streams.
    public func setTimings(_ timings: VideoTimings) throws(SystemCallError) {
        var raw = timings.raw
        try request("VIDIOC_S_DV_TIMINGS") { unsafe cv4l2_s_dv_timings($0, &raw) }
    }

    /// Has ``Poller/Readiness/priority`` tell of a source that sends something else. Corresponds to
    /// `VIDIOC_SUBSCRIBE_EVENT`.
    public func subscribeToSourceChanges() throws(SystemCallError) {
        try request("VIDIOC_SUBSCRIBE_EVENT") { cv4l2_subscribe_source_change($0) }
    }

    /// Whether the source has changed since it was asked last. Corresponds to `VIDIOC_DQEVENT`.
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
