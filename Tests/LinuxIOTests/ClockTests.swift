// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Testing

@Suite("the clock")
struct ClockTests {
    @Test(
        "a machine whose kernel lists no real-time clock, or one that stands in the past, has none")
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
        // As it begins without a battery: in 1970, in 2000; and what no clock tells.
        for (told, isRight) in [
            ("4711\n", false), ("946684800\n", false), ("", false), ("1795347005\n", true),
        ] {
            try told.write(
                toFile: folder + "/rtc0/since_epoch", atomically: false, encoding: .utf8)
            #expect(Clock.hasHardwareClock(in: folder) == isRight, "\(told)")
        }
    }
}
