// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Synchronization
import TestSupport
import Testing

/// Tests of threads by their names and nice values in /proc.
struct NamedThreadTests {
    @Test(arguments: [false, true])
    func anUrgentThreadComesFirstWhereTheProcessMaySaySo(isUrgent: Bool) async throws {
        var limit = rlimit()
        // 13 is RLIMIT_NICE, which Glibc's module leaves out.
        unsafe getrlimit(__rlimit_resource_t(13), &limit)
        let mayRaise = geteuid() == 0 || limit.rlim_cur >= 20 + 15
        // The nice value of the thread that starts the other.
        let own = try niceValue(
            inStat: String(contentsOfFile: "/proc/thread-self/stat", encoding: .utf8))
        let found = AsyncStream<String>.makeStream()
        let thread = NamedThread(isUrgent ? "urgent" : "ordinary", isUrgent: isUrgent) {
            let path = "/proc/thread-self/stat"
            found.continuation.yield((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
            found.continuation.finish()
        }
        await thread.join()
        var stat = ""
        for await line in found.stream { stat = line }
        #expect(stat.contains("(\(thread.name))"))
        #expect(try niceValue(inStat: stat) == (isUrgent && mayRaise ? -15 : own))
    }

    /// Returns the nice value, field 19 of proc_pid_stat(5). Field 2 is the name in parentheses.
    private func niceValue(inStat stat: String) throws -> Int {
        let afterName = try #require(stat.split(separator: ")").last)
        return try #require(Int(afterName.split(separator: " ")[16]))
    }
}
