// SPDX-License-Identifier: GPL-3.0-or-later

import CInput
import Input
import LinuxIO

/// A keyboard of the kernel's uinput driver, unplugged when its owner ends.
///
/// Kernel documentation: input/uinput.
@safe
public final class VirtualKeyboard {
    /// The path of the device node.
    public let path: String
    private let device: OpaquePointer

    /// Plugs the keyboard in.
    public init(_ name: String, keys: [String]) throws {
        let model = unsafe libevdev_new()
        defer { unsafe libevdev_free(model) }
        unsafe libevdev_set_name(model, name)
        for key in keys {
            let code = UInt32(KeyCode(name: key)?.number ?? 0)
            unsafe libevdev_enable_event_code(model, UInt32(cinput_type_key), code, nil)
        }
        var device: OpaquePointer?
        let result = unsafe libevdev_uinput_create_from_device(
            model, CInt(LIBEVDEV_UINPUT_OPEN_MANAGED.rawValue), &device)
        guard result >= 0, let device = unsafe device,
            let node = unsafe libevdev_uinput_get_devnode(device)
        else { throw SystemCallError(call: "UI_DEV_CREATE", code: -result, path: "/dev/uinput") }
        unsafe self.device = device
        path = unsafe String(cString: node)
    }

    deinit {
        unsafe libevdev_uinput_destroy(device)
    }

    /// Presses or releases a key. The kernel ignores a repeated state.
    public func set(_ key: String, down: Bool) {
        let code = UInt32(KeyCode(name: key)?.number ?? 0)
        unsafe libevdev_uinput_write_event(device, UInt32(cinput_type_key), code, down ? 1 : 0)
        unsafe libevdev_uinput_write_event(device, 0, 0, 0)
    }
}
