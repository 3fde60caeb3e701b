// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Testing

@Suite("Camera device types")
struct DeviceTypeTests {
    typealias DeviceType = CaptureDevice.DeviceType

    @Test(
        "the device type follows from driver, bus path and input",
        arguments: [
            ("uvcvideo", "usb-0000:01:00.0-1.3", false, DeviceType.usb),
            ("unicam", "platform:fe801000.csi", false, .csi),
            ("unicam", "platform:fe801000.csi", true, .hdmiBridge),
            ("em28xx", "usb-0000:01:00.0-1.3", true, .hdmiBridge),
            ("vivid", "platform:vivid-000", false, .simulated),
        ])
    func kinds(driver: String, busPath: String, followsTimings: Bool, expected: DeviceType) {
        #expect(
            DeviceType(driver: driver, busPath: busPath, followsTimings: followsTimings) == expected
        )
    }

    @Test("cameras are sorted by the caller's types, all others last in their order")
    func order() {
        let cameras: [(String, DeviceType)] = [
            ("a", .usb), ("b", .csi), ("c", .usb), ("d", .hdmiBridge),
        ]
        func sorted(_ types: [DeviceType]) -> String {
            types.sorted(cameras) { $0.1 }.map(\.0).joined()
        }
        #expect(sorted([]) == "abcd")
        #expect(sorted([.csi, .usb]) == "bacd")
        #expect(sorted([.simulated, .hdmiBridge]) == "dabc")
        #expect(sorted([.simulated]) == "abcd")
        #expect([DeviceType.csi].sorted([]) { (_: Int) in .usb }.isEmpty)
    }
}
