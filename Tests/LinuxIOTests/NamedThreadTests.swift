// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Synchronization
import Testing

/// Threads as the kernel has them: names and nice values in /proc.
struct NamedThreadTests {
    @Test(arguments: [false, true])
    func anUrgentThreadComesFirstWhereTheProcessMaySaySo(isUrgent: Bool) async throws {
        var limit = rlimit()
        // RLIMIT_NICE, which Glibc's module leaves out.
        unsafe getrlimit(__rlimit_resource_t(13), &limit)
        let mayRaise = geteuid() == 0 || limit.rlim_cur >= 20 + 15
        let own = try niceValue(ofThread: getpid())
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

    @Test("a thread's processor time rises while it works, not while it waits, and ends with it")
    func processorTime() async throws {
        let mayRest = Atomic<Bool>(false)
        let isResting = Atomic<Bool>(false)
        let mayEnd = Atomic<Bool>(false)
        let thread = NamedThread("worker") {
            while !mayRest.load(ordering: .acquiring) {}
            isResting.store(true, ordering: .releasing)
            while !mayEnd.load(ordering: .acquiring) { usleep(50_000) }
        }
        while try #require(thread.processorTime) < 20_000_000 { usleep(1000) }
        mayRest.store(true, ordering: .releasing)
        while !isResting.load(ordering: .acquiring) { usleep(1000) }
        let before = try #require(thread.processorTime)
        usleep(500_000)
        #expect(try #require(thread.processorTime) - before < 20_000_000)
        mayEnd.store(true, ordering: .releasing)
        await thread.join()
        #expect(thread.processorTime == nil)
    }

    private func niceValue(ofThread thread: Int32) throws -> Int {
        try niceValue(
            inStat: String(contentsOfFile: "/proc/\(thread)/stat", encoding: .utf8))
    }

    /// proc_pid_stat(5): field 19; the name in parentheses is field 2.
    private func niceValue(inStat stat: String) throws -> Int {
        let afterName = try #require(stat.split(separator: ")").last)
        return try #require(Int(afterName.split(separator: " ")[16]))
    }
}
