// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Testing

@Suite("the clock")
struct ClockTests {
    @Test("a machine whose kernel lists no real-time clock has none")
    func hardwareClock() throws {
        let folder = NSTemporaryDirectory() + "rtc-" + UUID().uuidString
        #expect(!Clock.hasHardwareClock(in: folder))
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(!Clock.hasHardwareClock(in: folder))
        try FileManager.default.createDirectory(
            atPath: folder + "/rtc0", withIntermediateDirectories: false)
        #expect(Clock.hasHardwareClock(in: folder))
    }
}
