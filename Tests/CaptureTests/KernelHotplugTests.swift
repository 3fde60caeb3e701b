// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Glibc
import LinuxIO
import TestSupport
import Testing

/// Runs on the virtual board. Nothing else may use vivid or snd-aloop meanwhile.
@Suite("Hotplug of devices", .serialized, .enabled(if: isVirtualBoard), .timeLimit(.common))
struct KernelHotplugTests {
    private func tell(_ driver: String, _ file: String) throws {
        let path = "/sys/bus/platform/drivers/\(driver)/\(file)"
        let opened = try OwnedDescriptor(open: path, flags: O_WRONLY)
        let (number, device) = (opened.number, "\(driver).0")
        try systemCall("write", path) { unsafe write(number, device, device.utf8.count) }
    }

    /// Returns the paths of the current cameras or the identifiers of the microphones.
    private func devices(_ mediaType: CaptureDevice.MediaType) -> Set<String> {
        let found = CaptureDevice.DiscoverySession(mediaType: mediaType)
        return Set(found.cameras.map(\.identity.path) + found.microphones.map(\.id))
    }

    @Test(
        "listeners are told of each unplugged and replugged device, and of no other",
        arguments: [("vivid", CaptureDevice.MediaType.video), ("snd_aloop", .audio)])
    func told(_ driver: String, _ mediaType: CaptureDevice.MediaType) async throws {
        let before = devices(mediaType)
        var notifications = try CaptureDevice.notifications().makeAsyncIterator()
        try tell(driver, "unbind")
        let left = devices(mediaType)
        try #require(left != before)
        var now = before
        while now != left {
            switch await notifications.next() {
            case .wasDisconnected(let device):
                #expect(device.mediaType == mediaType && now.contains(device.id))
                now.remove(device.id)
            case let other: Issue.record("\(String(describing: other))")
            }
        }
        try tell(driver, "bind")
        let after = devices(mediaType)
        while now != after {
            switch await notifications.next() {
            case .wasConnected(let device):
                #expect(device.mediaType == mediaType && !now.contains(device.id))
                now.insert(device.id)
            case let other: Issue.record("\(String(describing: other))")
            }
        }
    }
}
