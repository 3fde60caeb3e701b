// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("DeviceMonitor", .timeLimit(.common))
struct DeviceMonitorTests {
    @Test("a monitor starts and can be stopped")
    func stopped() async throws {
        try await DeviceMonitor(subsystems: ["video4linux", "drm"]) { _ in }.stop()
    }

    @Test("a monitor that cannot listen throws")
    func refused() async {
        await #expect(processExitsWith: .success) {
            // Leaves descriptors for the thread to wait on, but none for libudev's socket.
            let next = try OwnedDescriptor(open: "/dev/null", flags: O_RDONLY).number
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = rlim_t(next + 2)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(throws: SystemCallError.self) {
                try DeviceMonitor(subsystems: ["drm"]) { _ in }
            }
        }
    }
}
