// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO

/// A setting of a camera, such as exposure. Corresponds to `VIDIOC_QUERY_EXT_CTRL`.
public struct VideoControl: Sendable, Equatable {
    /// V4L2's number, for example `V4L2_CID_EXPOSURE_ABSOLUTE`.
    public let identifier: UInt32
    /// The name for people, in English.
    public let name: String
    /// The lowest value.
    public let minimum: Int64
    /// The highest value.
    public let maximum: Int64
    /// The distance between accepted values.
    public let step: Int64
    /// The driver's default.
    public let defaultValue: Int64
    /// Whether the control has no effect now, as a manual exposure time during automatic exposure.
    public let isInactive: Bool
    /// Whether the control is enabled and can be set.
    public let isSettable: Bool
    /// Whether reading the control asks the hardware (`V4L2_CTRL_FLAG_VOLATILE`).
    public let isVolatile: Bool

    /// Whether the values are items of a list, see ``VideoDevice/menu(of:)``.
    public let isMenu: Bool

    /// V4L2's numbers of controls, by name (userspace-api/media/v4l/control.html). Values without a
    /// unit are in the driver's units.
    public enum Identifier {
        /// The brightness.
        public static let brightness = cv4l2_brightness
        /// The contrast of luma.
        public static let contrast = cv4l2_contrast
        /// The saturation of colours.
        public static let saturation = cv4l2_saturation
        /// The sharpness of edges.
        public static let sharpness = cv4l2_sharpness
        /// The compensation for a light behind the subject.
        public static let backlightCompensation = cv4l2_backlight_compensation
        /// Whether the white balance is adjusted continuously.
        public static let autoWhiteBalance = cv4l2_auto_white_balance
        /// The white balance in kelvin.
        public static let whiteBalanceTemperature = cv4l2_white_balance_temperature
        /// Whether the driver chooses the gain.
        public static let autogain = cv4l2_autogain
        /// The gain of the sensor.
        public static let gain = cv4l2_gain
        /// A menu: none, 50 Hz, 60 Hz, automatic.
        public static let powerLineFrequency = cv4l2_power_line_frequency
        /// A menu: automatic, manual, shutter priority, aperture priority.
        public static let exposureAuto = cv4l2_exposure_auto
        /// The exposure time in units of 100 µs.
        public static let exposureAbsolute = cv4l2_exposure_absolute
        /// A menu of integers in units of 0.001 EV.
        public static let autoExposureBias = cv4l2_auto_exposure_bias
        /// A menu: front, back, external. Read only.
        public static let cameraOrientation = cv4l2_camera_orientation
        /// The position of the lens; higher is nearer.
        public static let focusAbsolute = cv4l2_focus_absolute
        /// Whether the focus is adjusted continuously.
        public static let focusAuto = cv4l2_focus_auto
        /// The focal length.
        public static let zoomAbsolute = cv4l2_zoom_absolute
        /// A menu: none, flash, torch.
        public static let flashLEDMode = cv4l2_flash_led_mode
    }

    /// An item of a menu.
    public struct MenuItem: Sendable, Equatable {
        /// The control's value that selects the item.
        public let index: Int64
        /// The name for people, in English; empty in menus of integers.
        public let name: String
        /// The item's value in menus of integers; otherwise the index.
        public let value: Int64

        /// Creates an item from its parts.
        public init(index: Int64, name: String = "", value: Int64) {
            (self.index, self.name, self.value) = (index, name, value)
        }
    }

    /// Creates a settable control, for cameras without a driver.
    public init(
        identifier: UInt32, name: String, minimum: Int64, maximum: Int64, step: Int64 = 1,
        defaultValue: Int64, isMenu: Bool = false, isInactive: Bool = false
    ) {
        (self.identifier, self.name) = (identifier, name)
        (self.minimum, self.maximum, self.step) = (minimum, maximum, step)
        (self.defaultValue, self.isMenu, self.isInactive) = (defaultValue, isMenu, isInactive)
        (isVolatile, isSettable) = (false, true)
    }

    fileprivate init(_ raw: cv4l2_control) {
        identifier = raw.id
        name = text(raw.name)
        (minimum, maximum, step) = (raw.minimum, raw.maximum, raw.step)
        defaultValue = raw.default_value
        isMenu = [cv4l2_type_menu, cv4l2_type_integer_menu].contains(raw.type)
        isInactive = raw.flags & cv4l2_flag_inactive != 0
        isSettable = raw.flags & (cv4l2_flag_disabled | cv4l2_flag_read_only) == 0
        isVolatile = raw.flags & cv4l2_flag_volatile != 0
    }
}

extension VideoDevice {
    /// Returns all enabled controls except compound ones.
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

    /// Returns a control's state; throws `EINVAL` or `ENOTTY` if the camera has no such control.
    public func control(_ identifier: UInt32) throws(SystemCallError) -> VideoControl {
        var raw = cv4l2_control()
        try request("VIDIOC_QUERY_EXT_CTRL") { unsafe cv4l2_query_ext_ctrl($0, identifier, &raw) }
        return VideoControl(raw)
    }

    /// Returns the menu's items that can be selected; drivers may skip some (`VIDIOC_QUERYMENU`).
    public func menu(of control: VideoControl) throws(SystemCallError) -> [VideoControl.MenuItem] {
        var items: [VideoControl.MenuItem] = []
        guard control.isMenu, control.minimum >= 0, control.maximum < 256 else { return items }
        for index in control.minimum...max(control.minimum, control.maximum) {
            var name: InlineArray<32, CChar> = .init(repeating: 0)
            var value: Int64 = 0
            var bytes = name.mutableSpan
            do throws(SystemCallError) {
                try request("VIDIOC_QUERYMENU") { number in
                    unsafe bytes.withUnsafeMutableBufferPointer {
                        unsafe cv4l2_querymenu(
                            number, control.identifier, UInt32(index), $0.baseAddress, &value)
                    }
                }
            } catch {
                if error.code == EINVAL { continue }
                throw error
            }
            let letters = (0..<32).map { UInt8(bitPattern: name[$0]) }.prefix { $0 != 0 }
            items.append(
                VideoControl.MenuItem(
                    index: index, name: String(decoding: letters, as: UTF8.self), value: value))
        }
        return items
    }

    /// Returns a control's value. Corresponds to `VIDIOC_G_EXT_CTRLS`.
    public func value(ofControl identifier: UInt32) throws(SystemCallError) -> Int64 {
        var value: Int64 = 0
        try request("VIDIOC_G_EXT_CTRLS") { unsafe cv4l2_g_ctrl($0, identifier, &value) }
        return value
    }

    /// Sets a control's value. Corresponds to `VIDIOC_S_EXT_CTRLS`.
    public func setControl(_ identifier: UInt32, to value: Int64) throws(SystemCallError) {
        try request("VIDIOC_S_EXT_CTRLS") { cv4l2_s_ctrl($0, identifier, value) }
    }
}
