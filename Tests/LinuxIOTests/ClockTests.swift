// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Testing

@Suite("hardware clock")
struct ClockTests {
    @Test("a machine has no hardware clock if the kernel lists none or it is in the past")
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
        // A clock without a battery begins in 1970 or 2000; an empty file gives no time.
        for (told, isRight) in [
            ("4711\n", false), ("946684800\n", false), ("", false), ("1795347005\n", true),
        ] {
            try told.write(
                toFile: folder + "/rtc0/since_epoch", atomically: false, encoding: .utf8)
            #expect(Clock.hasHardwareClock(in: folder) == isRight, "\(told)")
        }
    }
}
