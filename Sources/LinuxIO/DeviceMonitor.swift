// SPDX-License-Identifier: GPL-3.0-or-later

internal import CUdev
internal import Glibc

/// A device that was added, removed or changed.
public struct DeviceEvent: Sendable, Equatable {
    /// The kernel subsystem, for example "video4linux" or "drm".
    public let subsystem: String
    /// "add", "remove" or "change".
    public let action: String
    /// The device node; empty if the device has none.
    public let node: String
}

/// Reports devices plugged in and out (libudev(3)). It listens to udevd, whose events arrive after
/// the node's access rights are set, or to the kernel if udevd is not running.
public final class DeviceMonitor: Sendable {
    private let wake: WakeSignal
    private let thread: NamedThread

    /// Starts the monitor's thread, on which `handler` is called. Throws if libudev fails, or the
    /// process is out of descriptors.
    public init(
        subsystems: [String], handler: @escaping @Sendable (DeviceEvent) -> Void
    ) throws(SystemCallError) {
        let listener = try DeviceListener(subsystems)
        wake = listener.wake
        thread = NamedThread("hotplug") { listener.listen(handler) }
    }

    /// Stops the thread and waits for its end.
    public func stop() async {
        wake.signal()
        await thread.join()
    }
}

/// The thread's libudev monitor. libudev allows one thread at a time.
@safe
private final class DeviceListener {
    let wake: WakeSignal
    private let poller: Poller
    private let udev: OpaquePointer
    private let monitor: OpaquePointer

    private static let wakeTag: UInt64 = 0
    private static let deviceTag: UInt64 = 1

    init(_ subsystems: [String]) throws(SystemCallError) {
        wake = try WakeSignal()
        poller = try Poller()
        guard let udev = unsafe udev_new() else {
            throw SystemCallError(call: "udev_new", code: errno)
        }
        unsafe self.udev = udev
        let source = unsafe access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel"
        guard let monitor = unsafe udev_monitor_new_from_netlink(udev, source) else {
            let code = errno
            unsafe udev_unref(udev)
            throw SystemCallError(call: "udev_monitor_new_from_netlink", code: code)
        }
        unsafe self.monitor = monitor
        for subsystem in subsystems {
            try Self.check("udev_monitor_filter_add_match_subsystem_devtype") {
                unsafe udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
            }
        }
        try Self.check("udev_monitor_enable_receiving") {
            unsafe udev_monitor_enable_receiving(monitor)
        }
        try poller.add(wake, tag: Self.wakeTag)
        try poller.add(unsafe udev_monitor_get_fd(monitor), tag: Self.deviceTag)
    }

    deinit {
        unsafe udev_monitor_unref(monitor)
        unsafe udev_unref(udev)
    }

    private static func check(_ call: String, _ body: () -> CInt) throws(SystemCallError) {
        let result = body()
        if result < 0 { throw SystemCallError(call: call, code: -result) }
    }

    func listen(_ handler: (DeviceEvent) -> Void) {
        while let event = poller.wait(), event.tag == Self.deviceTag {
            guard let device = unsafe udev_monitor_receive_device(monitor) else { continue }
            defer { unsafe _ = udev_device_unref(device) }
            // A DRM lease changed, mostly one of our own displays: no device came or went.
            if unsafe udev_device_get_property_value(device, "LEASE") != nil { continue }
            handler(
                DeviceEvent(
                    subsystem: unsafe text(udev_device_get_subsystem(device)),
                    action: unsafe text(udev_device_get_action(device)),
                    node: unsafe text(udev_device_get_devnode(device))))
        }
    }
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
}
