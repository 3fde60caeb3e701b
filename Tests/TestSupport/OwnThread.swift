// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Testing

/// Tests that wait for processes, or sleep, do so on threads of their own: those of the cooperative pool are as many as
/// the machine has cores, and all other tests need them.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    /// For each of a suite's tests.
    public var isRecursive: Bool { true }

    /// Runs `function`'s jobs each on a thread of its own.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor()) { try await function() }
    }

    private final class Executor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            _ = NamedThread("test") { [self] in
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }
}

extension Trait where Self == OwnThread {
    /// See ``OwnThread``.
    public static var ownThread: Self { OwnThread() }
}
