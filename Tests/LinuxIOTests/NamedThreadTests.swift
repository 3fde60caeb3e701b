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

    @Test("the activity of threads rises only while one of them works")
    func activity() async throws {
        let flags = Flags()
        var (time, other) = (0 as Int64, 0 as Int64)
        var isRunnable = false
        func read() {
            let activity = NamedThread.activity(ofAll: "test-worker")
            (time, isRunnable) = (activity.processorTime, activity.isRunnable)
            other = NamedThread.activity(ofAll: "test-sleeper").processorTime
        }
        let sleeper = NamedThread("test-sleeper") {
            while !flags.mayEnd.load(ordering: .acquiring) { usleep(50_000) }
        }
        let worker = NamedThread("test-worker") {
            while !flags.mayRest.load(ordering: .acquiring) {}
            flags.isResting.store(true, ordering: .releasing)
            while !flags.mayEnd.load(ordering: .acquiring) { usleep(50_000) }
        }
        // The thread runs before it has its name.
        try blockUntil {
            read()
            return time > 0
        }
        while time < 50_000_000 {
            usleep(1000)
            read()
            #expect(isRunnable)
        }
        #expect(other < 20_000_000)
        flags.mayRest.store(true, ordering: .releasing)
        try blockUntil { flags.isResting.load(ordering: .acquiring) }
        read()
        let before = time
        usleep(500_000)
        read()
        #expect(time - before < 20_000_000)
        // The thread may be runnable for a moment between two sleeps.
        try blockUntil {
            read()
            return !isRunnable
        }
        flags.mayEnd.store(true, ordering: .releasing)
        await worker.join()
        await sleeper.join()
        #expect(NamedThread.activity(ofAll: "no-such-thread") == NamedThread.Activity())
    }

    private final class Flags: Sendable {
        let mayRest = Atomic<Bool>(false)
        let isResting = Atomic<Bool>(false)
        let mayEnd = Atomic<Bool>(false)
    }

    /// Returns the nice value, field 19 of proc_pid_stat(5). Field 2 is the name in parentheses.
    private func niceValue(inStat stat: String) throws -> Int {
        let afterName = try #require(stat.split(separator: ")").last)
        return try #require(Int(afterName.split(separator: " ")[16]))
    }
}
