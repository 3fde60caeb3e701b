// SPDX-License-Identifier: GPL-3.0-or-later

internal import CInput

/// A key or button of an input device by the kernel's number. See linux/input-event-codes.h.
public struct KeyCode: Sendable, Hashable, CustomStringConvertible {
    /// The kernel's number, for example 28 for `KEY_ENTER`.
    public let number: UInt16

    /// Finds a key by number; `nil` if the kernel has no such number.
    public init?(number: Int) {
        guard (0..<Int(cinput_key_count)).contains(number) else { return nil }
        self.number = UInt16(number)
    }

    init(_ number: UInt16) {
        self.number = number
    }

    /// Finds a key by kernel name, such as `KEY_ENTER` or `BTN_TRIGGER`; `nil` if there is none.
    public init?(name: String) {
        let found = unsafe libevdev_event_code_from_name(UInt32(cinput_type_key), name)
        guard found >= 0 else { return nil }
        number = UInt16(found)
    }

    /// The kernel's name, or the number if the key has none.
    public var description: String {
        let name = unsafe libevdev_event_code_get_name(UInt32(cinput_type_key), UInt32(number))
        guard let name = unsafe name else { return "\(number)" }
        return unsafe String(cString: name)
    }
}
