// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
package import LinuxIO
package import V4L2

/// Access to a camera's controls, independent of its stream. For one thread.
package protocol ControlPort: AnyObject {
    /// Returns the control's current description; `nil` if the camera lacks it.
    func control(_ identifier: UInt32) throws(SystemCallError) -> VideoControl?
    func menu(of control: VideoControl) throws(SystemCallError) -> [VideoControl.MenuItem]
    func value(ofControl identifier: UInt32) throws(SystemCallError) -> Int64
    func setControl(_ identifier: UInt32, to value: Int64) throws(SystemCallError)
}

package protocol ControllableCamera: CameraDriver {
    /// Opens the controls; a running stream continues.
    func openControls() throws(CaptureError) -> any ControlPort
}

extension V4L2Camera: ControllableCamera {
    package func openControls() throws(CaptureError) -> any ControlPort {
        do {
            return V4L2ControlPort(try VideoDevice(path: identity.path))
        } catch {
            throw CaptureError(identity.name, error)
        }
    }
}

private final class V4L2ControlPort: ControlPort {
    private let device: VideoDevice

    init(_ device: VideoDevice) { self.device = device }

    func control(_ identifier: UInt32) throws(SystemCallError) -> VideoControl? {
        do {
            return try device.control(identifier)
        } catch {
            // Drivers return these codes for controls that they lack.
            if error.isUnsupported || error.code == EINVAL { return nil }
            throw error
        }
    }

    func menu(of control: VideoControl) throws(SystemCallError) -> [VideoControl.MenuItem] {
        try device.menu(of: control)
    }

    func value(ofControl identifier: UInt32) throws(SystemCallError) -> Int64 {
        try device.value(ofControl: identifier)
    }

    func setControl(_ identifier: UInt32, to value: Int64) throws(SystemCallError) {
        try device.setControl(identifier, to: value)
    }
}
