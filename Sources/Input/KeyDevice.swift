// SPDX-License-Identifier: GPL-3.0-or-later

internal import CInput
internal import Glibc
public import LinuxIO

/// A change of a key.
public struct KeyEvent: Sendable, Equatable {
    /// What happened.
    public enum Phase: Sendable {
        case down, up
        /// The kernel's automatic repetition of a key that is held.
        case again
    }
    /// Which key.
    public let key: KeyCode
    /// Where it went.
    public let phase: Phase
    /// When the kernel had it: nanoseconds of `CLOCK_MONOTONIC`, to the microsecond.
    public let timestamp: Int64
}

/// An input device with keys that only this program hears (`EVIOCGRAB`). Closed when the owner ends.
/// Used by one thread at a time.
///
/// Kernel documentation: input/input.
@safe
public final class KeyDevice {
    /// What it says of itself.
    public let description: InputDescription
    /// Readable when ``readEvents(_:)`` has something, `error` or `hangup` when it was unplugged.
    public var number: CInt { descriptor.number }

    private let descriptor: OwnedDescriptor
    private let device: OpaquePointer

    /// Opens the device and takes it from everybody else.
    ///
    /// - Throws: `EBUSY` when another program has grabbed it.
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

    /// Whether the device has this key.
    public func has(_ key: KeyCode) -> Bool {
        unsafe libevdev_has_event_code(device, UInt32(cinput_type_key), UInt32(key.number)) != 0
    }

    /// Whether the key is down, as of the last ``readEvents(_:)``.
    public func isDown(_ key: KeyCode) -> Bool {
        unsafe libevdev_get_event_value(device, UInt32(cinput_type_key), UInt32(key.number)) > 0
    }

    /// Gives every event that waits to `body`, oldest first; returns at once when there is none. What
    /// the kernel dropped (`SYN_DROPPED`) is made up for: each key whose state differs gives one event.
    ///
    /// - Throws: `ENODEV` when the device was unplugged.
    public func readEvents(_ body: (KeyEvent) -> Void) throws(SystemCallError) {
        var resynchronizing = false
        while true {
            var event = cinput_event()
            let result = unsafe cinput_next(device, resynchronizing ? 1 : 0, &event)
            switch result {
            case CInt(cinput_success):
                deliver(event, body)
            case CInt(cinput_sync):
                // The first one is SYN_DROPPED itself, no key.
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
