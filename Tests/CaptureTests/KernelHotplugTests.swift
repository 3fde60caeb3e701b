// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Glibc
import LinuxIO
import TestSupport
import Testing

/// On the virtual board, with nobody else who uses vivid.
@Suite("Hotplug of cameras", .serialized, .enabled(if: isVirtualBoard), .timeLimit(.minutes(2)))
struct KernelHotplugTests {
    private func tell(_ file: String) throws {
        let path = "/sys/bus/platform/drivers/vivid/\(file)"
        let driver = try OwnedDescriptor(open: path, flags: O_WRONLY)
        let (number, device) = (driver.number, "vivid.0")
        try systemCall("write", path) { unsafe write(number, device, device.utf8.count) }
    }

    private var cameras: Set<String> {
        Set(CaptureDevice.DiscoverySession(mediaType: .video).cameras.map(\.identity.path))
    }

    @Test("who listens is told of each camera that is plugged out, and in again, and of no other")
    func told() async throws {
        let before = cameras
        var notifications = try CaptureDevice.notifications().makeAsyncIterator()
        try tell("unbind")
        let left = cameras
        try #require(left != before)
        var now = before
        while now != left {
            switch await notifications.next() {
            case .wasDisconnected(let device):
                #expect(device.mediaType == .video && now.contains(device.id))
                now.remove(device.id)
            case let other: Issue.record("\(String(describing: other))")
            }
        }
        try tell("bind")
        let after = cameras
        while now != after {
            switch await notifications.next() {
            case .wasConnected(let device):
                #expect(device.mediaType == .video && !now.contains(device.id))
                now.insert(device.id)
            case let other: Issue.record("\(String(describing: other))")
            }
        }
    }
}
