// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Testing

@Suite("ThreadExecutor", .timeLimit(.minutes(1)))
struct ThreadExecutorTests {
    private actor Worker {
        private let executor: ThreadExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }

        init(thread: String) { executor = ThreadExecutor(thread) }

        var thread: String { name(of: "/proc/thread-self") }
        func wait(for signal: DispatchSemaphore) { signal.wait() }
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

    @Test("its thread ends with the last that uses it, and not before")
    func ends() async throws {
        try await work(on: "mortal-worker")
        while try hasThread("mortal-worker") { await Task.yield() }
    }

    @Test("one that hangs holds up no other, and ends when it comes back")
    func hangs() async throws {
        let signal = DispatchSemaphore(value: 0)
        let hanging = Task {
            await Worker(thread: "hanging-worker").wait(for: signal)
        }
        while try !hasThread("hanging-worker") { await Task.yield() }
        #expect(await Worker(thread: "another-worker").thread == "another-worker")
        signal.signal()
        await hanging.value
        while try hasThread("hanging-worker") { await Task.yield() }
    }
}

/// What the kernel calls the thread with this folder in /proc; empty when it has ended.
private func name(of folder: String) -> String {
    let text = (try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8)) ?? ""
    return text.trimmingCharacters(in: .newlines)
}
