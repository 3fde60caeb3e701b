// SPDX-License-Identifier: GPL-3.0-or-later

internal import CUdev
internal import Glibc

/// A device came, went or changed.
public struct DeviceEvent: Sendable, Equatable {
    /// The kernel subsystem, for example "video4linux" or "drm".
    public let subsystem: String
    /// "add", "remove" or "change".
    public let action: String
    /// The device node; empty when it has none.
    public let node: String
}

/// Tells of devices that are plugged in and out (libudev(3)).
///
/// Listens to udevd, whose events come when the node's rights are set; without udevd to the kernel.
public final class DeviceMonitor: Sendable {
    private let wake: WakeSignal
    private let thread: NamedThread

    /// - Parameter handler: called on the monitor's thread.
    /// - Throws: when the process is out of descriptors.
    public init(
        subsystems: [String], handler: @escaping @Sendable (DeviceEvent) -> Void
    ) throws(SystemCallError) {
        let wake = try WakeSignal()
        self.wake = wake
        thread = NamedThread("hotplug") {
            listen(subsystems, wake, handler)
        }
    }

    /// Ends the thread.
    public func stop() async {
        wake.signal()
        await thread.join()
    }
}

private func listen(
    _ subsystems: [String], _ wake: WakeSignal, _ handler: (DeviceEvent) -> Void
) {
    let hasDaemon = unsafe access("/run/udev/control", F_OK) == 0
    guard let udev = unsafe udev_new() else { return }
    defer { unsafe _ = udev_unref(udev) }
    guard
        let monitor = unsafe udev_monitor_new_from_netlink(udev, hasDaemon ? "udev" : "kernel")
    else { return }
    defer { unsafe _ = udev_monitor_unref(monitor) }
    for subsystem in subsystems {
        unsafe udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
    }
    guard unsafe udev_monitor_enable_receiving(monitor) == 0, let poller = try? Poller(),
        (try? poller.add(wake, tag: 0)) != nil,
        (try? poller.add(unsafe udev_monitor_get_fd(monitor), tag: 1)) != nil
    else { return }
    while let event = poller.wait(), event.tag == 1 {
        guard let device = unsafe udev_monitor_receive_device(monitor) else { continue }
        defer { unsafe _ = udev_device_unref(device) }
        handler(
            DeviceEvent(
                subsystem: unsafe text(udev_device_get_subsystem(device)),
                action: unsafe text(udev_device_get_action(device)),
                node: unsafe text(udev_device_get_devnode(device))))
    }
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
}
