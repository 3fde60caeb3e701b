// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO

/// A setting of the camera, such as exposure. Corresponds to `VIDIOC_QUERY_EXT_CTRL`.
public struct VideoControl: Sendable, Equatable {
    /// V4L2's number, for example `V4L2_CID_EXPOSURE_ABSOLUTE`.
    public let identifier: UInt32
    /// For a person, in English.
    public let name: String
    /// The lowest value it takes.
    public let minimum: Int64
    /// The highest value it takes.
    public let maximum: Int64
    /// From one value to the next that it takes.
    public let step: Int64
    /// The driver's.
    public let defaultValue: Int64
    /// Whether it has no effect now: with automatic exposure, what was once set by hand.
    public let isInactive: Bool
    /// Whether reading it asks the hardware (`V4L2_CTRL_FLAG_VOLATILE`).
    public let isVolatile: Bool

    /// Exposure time in units of 100 µs.
    public static let exposureAbsolute: UInt32 = cv4l2_exposure_absolute

    fileprivate init(_ raw: cv4l2_control) {
        identifier = raw.id
        name = text(raw.name)
        (minimum, maximum, step) = (raw.minimum, raw.maximum, raw.step)
        defaultValue = raw.default_value
        isInactive = raw.flags & cv4l2_flag_inactive != 0
        isVolatile = raw.flags & cv4l2_flag_volatile != 0
    }
}

extension VideoDevice {
    /// All controls with an integer value.
    public func controls() throws(SystemCallError) -> [VideoControl] {
        var controls: [VideoControl] = []
        var identifier = cv4l2_flag_next_ctrl
        while controls.count < 512 {
            var raw = cv4l2_control()
            do throws(SystemCallError) {
                try request("VIDIOC_QUERY_EXT_CTRL") {
                    unsafe cv4l2_query_ext_ctrl($0, identifier, &raw)
                }
            } catch {
                if error.code == EINVAL || error.code == ENOTTY { break }
                throw error
            }
            identifier = raw.id | cv4l2_flag_next_ctrl
            if raw.flags & cv4l2_flag_disabled != 0 { continue }
            controls.append(VideoControl(raw))
        }
        return controls
    }

    /// One control, as it is now.
    ///
    /// - Throws: `EINVAL` or `ENOTTY` when the camera has no such control.
    public func control(_ identifier: UInt32) throws(SystemCallError) -> VideoControl {
        var raw = cv4l2_control()
        try request("VIDIOC_QUERY_EXT_CTRL") { unsafe cv4l2_query_ext_ctrl($0, identifier, &raw) }
        return VideoControl(raw)
    }

    /// The control's value. Corresponds to `VIDIOC_G_EXT_CTRLS`.
    public func value(ofControl identifier: UInt32) throws(SystemCallError) -> Int64 {
        var value: Int64 = 0
        try request("VIDIOC_G_EXT_CTRLS") { unsafe cv4l2_g_ctrl($0, identifier, &value) }
        return value
    }

    /// Corresponds to `VIDIOC_S_EXT_CTRLS`.
    public func setControl(_ identifier: UInt32, to value: Int64) throws(SystemCallError) {
        try request("VIDIOC_S_EXT_CTRLS") { cv4l2_s_ctrl($0, identifier, value) }
    }
}
