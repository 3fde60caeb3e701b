// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import TestSupport
import Testing

@Suite("ThreadExecutor", .timeLimit(.common))
struct ThreadExecutorTests {
    private actor Worker {
        private let executor: ThreadExecutor
        /// Whether a sleep has begun. A check may come only after the sleep's end.
        private(set) var hasSlept = false
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }

        init(thread: String) { executor = ThreadExecutor(thread) }

        var thread: String { name(of: "/proc/thread-self") }
        nonisolated func wakeSleepers() { executor.wakeSleepers() }
        func wait(for signal: DispatchSemaphore) { signal.wait() }

        /// - Returns: the actual duration of the sleep, in nanoseconds.
        func sleep(for duration: Duration) async -> Int64 {
            let before = Clock.monotonic
            hasSlept = true
            await executor.sleep(for: duration)
            #expect(thread == "sleeping-worker")
            return Clock.monotonic - before
        }
    }

    private func hasThread(_ wanted: String) throws -> Bool {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        return threads.contains { name(of: "/proc/self/task/\($0)") == wanted }
    }

    private func work(on thread: String) async throws {
        let worker = Worker(thread: thread)
        for _ in 0..<100 { #expect(await worker.thread == thread) }
        #expect(try hasThread(thread))
    }

    @Test("an executor's thread ends with its last user, and not before")
    func ends() async throws {
        try await work(on: "mortal-worker")
        try await waitUntil { try !hasThread("mortal-worker") }
    }

    @Test("a sleeper is woken at its time, and others work meanwhile")
    func sleeps() async throws {
        let worker = Worker(thread: "sleeping-worker")
        async let long = worker.sleep(for: .milliseconds(300))
        try await waitUntil { await worker.hasSlept }
        #expect(await worker.thread == "sleeping-worker")
        async let short = worker.sleep(for: .milliseconds(50))
        #expect(await short >= 50_000_000)
        #expect(await long >= 300_000_000)
    }

    @Test("a task that prefers an executor resumes on it, and its thread ends with the task")
    func preferred() async throws {
        func run() async {
            let executor = ThreadExecutor("preferred")
            let task = Task(executorPreference: executor) {
                await executor.sleep(for: .milliseconds(20))
                return name(of: "/proc/thread-self")
            }
            #expect(await task.value == "preferred")
            let other = Task { name(of: "/proc/thread-self") }
            #expect(await other.value != "preferred")
        }
        await run()
        try await waitUntil { try !hasThread("preferred") }
    }

    @Test("`wakeSleepers()` ends a running sleep but no later one")
    func woken() async throws {
        let worker = Worker(thread: "sleeping-worker")
        let sleeping = Task { await worker.sleep(for: .seconds(3600)) }
        try await waitUntil { await worker.hasSlept }
        worker.wakeSleepers()
        #expect(await sleeping.value < 3_600_000_000_000)
        // A later sleep is not affected.
        #expect(await worker.sleep(for: .milliseconds(20)) >= 20_000_000)
    }

    @Test("a hanging executor does not block others, and ends once it returns")
    func hangs() async throws {
        let signal = DispatchSemaphore(value: 0)
        let hanging = Task {
            await Worker(thread: "hanging-worker").wait(for: signal)
        }
        try await waitUntil { try hasThread("hanging-worker") }
        #expect(await Worker(thread: "another-worker").thread == "another-worker")
        signal.signal()
        await hanging.value
        try await waitUntil { try !hasThread("hanging-worker") }
    }
}

/// Returns the kernel's name of the thread with this folder in /proc; empty if it has ended.
private func name(of folder: String) -> String {
    let text = (try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8)) ?? ""
    return text.trimmingCharacters(in: .newlines)
}
