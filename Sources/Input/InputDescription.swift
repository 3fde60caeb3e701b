// SPDX-License-Identifier: GPL-3.0-or-later

internal import CInput
internal import Glibc
public import LinuxIO

/// An input device as it was when queried; nothing stays open.
public struct InputDescription: Sendable, Equatable {
    /// The device file, for example `/dev/input/event3`. It may change between boots.
    public let path: String
    /// The manufacturer's name of the device.
    public let name: String
    /// The place where the device is plugged in, as `usb-0000:00:14.0-2/input0`; empty if unknown.
    public let physicalPath: String
    /// The serial number; empty if the device has none.
    public let serial: String
    /// The keys and buttons, ordered by number.
    public let keys: [KeyCode]

    /// Queries a device; throws `ENOTTY` if it is no input device.
    public init(path: String) throws(SystemCallError) {
        let descriptor = try OwnedDescriptor(open: path, flags: O_RDONLY | O_NONBLOCK)
        let device = try unsafe openDevice(descriptor.number, path)
        defer { unsafe libevdev_free(device) }
        unsafe self.init(device, path: path)
    }

    /// Describes a device that the kernel does not have, for simulations.
    public init(
        path: String, name: String, physicalPath: String = "", serial: String = "",
        keys: [KeyCode]
    ) {
        self.path = path
        self.name = name
        self.physicalPath = physicalPath
        self.serial = serial
        self.keys = keys
    }

    init(_ device: OpaquePointer, path: String) {
        self.path = path
        name = unsafe text(libevdev_get_name(device))
        physicalPath = unsafe text(libevdev_get_phys(device))
        serial = unsafe text(libevdev_get_uniq(device))
        let type = UInt32(cinput_type_key)
        keys = (0..<cinput_key_count).filter {
            unsafe libevdev_has_event_code(device, type, UInt32($0)) != 0
        }.map { KeyCode($0) }
    }

    /// Returns the device files of all input devices, readable or not, ordered by number.
    public static func paths() throws(SystemCallError) -> [String] {
        let names: [String]
        do throws(SystemCallError) {
            names = try FileTree.names(in: "/dev/input")
        } catch {
            // The kernel makes the folder with the first device.
            guard error.code == ENOENT else { throw error }
            return []
        }
        let prefix = "event"
        let numbers = names.filter { $0.hasPrefix(prefix) }.compactMap {
            Int($0.dropFirst(prefix.count))
        }
        return numbers.sorted().map { "/dev/input/\(prefix)\($0)" }
    }

    /// Returns all devices that can be opened and have keys, ordered by number. Throws `EACCES` if
    /// rights are missing and no device can be opened.
    public static func all() throws(SystemCallError) -> [InputDescription] {
        var devices: [InputDescription] = []
        var refusal: SystemCallError?
        for path in try paths() {
            do throws(SystemCallError) {
                devices.append(try InputDescription(path: path))
            } catch {
                if error.isPermission { refusal = refusal ?? error }
            }
        }
        if devices.isEmpty, let refusal { throw refusal }
        return devices.filter { !$0.keys.isEmpty }
    }
}

private func text(_ characters: UnsafePointer<CChar>?) -> String {
    guard let characters = unsafe characters else { return "" }
    return unsafe String(cString: characters)
}
