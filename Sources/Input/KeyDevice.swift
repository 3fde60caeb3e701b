// SPDX-License-Identifier: GPL-3.0-or-later

internal import CInput
internal import Glibc
public import LinuxIO

/// A change of a key.
public struct KeyEvent: Sendable, Equatable {
    /// The kind of change.
    public enum Phase: Sendable {
        case down, up
        /// The kernel's automatic repetition of a held key.
        case again
    }
    /// The key.
    public let key: KeyCode
    /// The kind of change.
    public let phase: Phase
    /// The kernel's time of the change, in nanoseconds of `CLOCK_MONOTONIC`, to the microsecond.
    public let timestamp: Int64
}

/// An input device whose keys only this program receives (`EVIOCGRAB`). Closed when the owner ends.
/// One thread at a time may use it. Kernel documentation: input/input.
@safe
public final class KeyDevice {
    /// The description of the device.
    public let description: InputDescription
    /// The descriptor: readable when ``readEvents(_:)`` has events, `error` or `hangup` when the
    /// device was unplugged.
    public var number: CInt { descriptor.number }

    private let descriptor: OwnedDescriptor
    private let device: OpaquePointer

    /// Opens and grabs the device; throws `EBUSY` if another program has grabbed it.
    public init(path: String) throws(SystemCallError) {
        descriptor = try OwnedDescriptor(open: path, flags: O_RDONLY | O_NONBLOCK)
        let device = try unsafe openDevice(descriptor.number, path)
        unsafe self.device = device
        unsafe description = InputDescription(device, path: path)
        try check("EVIOCSCLOCKID", unsafe cinput_use_monotonic_clock(device))
        try check("EVIOCGRAB", unsafe cinput_grab(device))
    }

    deinit {
        unsafe libevdev_free(device)
    }

    /// Returns whether the device has this key.
    public func has(_ key: KeyCode) -> Bool {
        unsafe libevdev_has_event_code(device, UInt32(cinput_type_key), UInt32(key.number)) != 0
    }

    /// Returns whether the key is down, as of the last ``readEvents(_:)``.
    public func isDown(_ key: KeyCode) -> Bool {
        unsafe libevdev_get_event_value(device, UInt32(cinput_type_key), UInt32(key.number)) > 0
    }

    /// Passes all waiting events to `body`, oldest first, and returns at once. If the kernel
    /// dropped events (`SYN_DROPPED`), each key whose state changed gives one event. Throws
    /// `ENODEV` when the device was unplugged.
    public func readEvents(_ body: (KeyEvent) -> Void) throws(SystemCallError) {
        var resynchronizing = false
        while true {
            var event = cinput_event()
            let result = unsafe cinput_next(device, resynchronizing ? 1 : 0, &event)
            switch result {
            case CInt(cinput_success):
                deliver(event, body)
            case CInt(cinput_sync):
                // The first event is SYN_DROPPED itself, which is no key.
                deliver(event, body)
                resynchronizing = true
            case -EAGAIN where resynchronizing:
                resynchronizing = false
            case -EAGAIN:
                return
            case -EINTR:
                continue
            default:
                try check("read", result)
            }
        }
    }

    private func deliver(_ event: cinput_event, _ body: (KeyEvent) -> Void) {
        guard event.type == cinput_type_key else { return }
        let phase: KeyEvent.Phase =
            switch event.value {
            case 0: .up
            case 1: .down
            default: .again
            }
        body(KeyEvent(key: KeyCode(event.code), phase: phase, timestamp: event.timestamp_ns))
    }

    private func check(_ call: String, _ result: CInt) throws(SystemCallError) {
        guard result >= 0 else {
            throw SystemCallError(
                call: call, code: -result, path: "\(description.path) (\(description.name))")
        }
    }
}

func openDevice(_ number: CInt, _ path: String) throws(SystemCallError) -> OpaquePointer {
    var device: OpaquePointer?
    let result = unsafe libevdev_new_from_fd(number, &device)
    guard result >= 0, let device = unsafe device else {
        throw SystemCallError(call: "EVIOCGBIT", code: -result, path: path)
    }
    return unsafe device
}
