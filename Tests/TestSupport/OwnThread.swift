// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Testing

/// A trait that runs a test's jobs on threads of their own, for tests that wait for processes or
/// sleep. The cooperative pool has only as many threads as the machine has cores, and all other
/// tests need them.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    /// Whether the trait applies to each test of a suite: always.
    public var isRecursive: Bool { true }

    /// Runs each job of `function` on a thread of its own.
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
