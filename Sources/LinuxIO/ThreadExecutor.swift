// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc
internal import Synchronization

/// An executor that runs an actor on a thread of its own, where fsync(2) or an encoder may block
/// without holding up the cooperative pool. The thread ends when the executor has no owner and its
/// last job has returned. If a job never returns, its thread stays.
///
/// Resuming a task goes through the cooperative pool and wakes a thread there, unless the task
/// prefers this executor.
public final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private let queue = JobQueue()

    /// Starts the thread. `name` has at most 15 bytes.
    public init(_ name: String) {
        _ = NamedThread(name) { [queue] in queue.run() }
    }

    deinit { queue.end() }

    /// Queues a job behind all earlier ones and returns at once. Any thread may call this.
    public func enqueue(_ job: consuming ExecutorJob) {
        queue.add(Job(job: UnownedJob(job), executor: self))
    }

    /// Suspends the calling task for `duration`, or until ``wakeSleepers()``. The executor's own
    /// thread resumes the task, while `Task.sleep` would wake two other threads.
    public nonisolated(nonsending) func sleep(for duration: Duration) async {
        let deadline = Clock.monotonic + Int64(duration / .nanoseconds(1))
        await withCheckedContinuation { queue.add(.init(deadline: deadline, continuation: $0)) }
    }

    /// Ends every sleep. Any thread may call this.
    public func wakeSleepers() { queue.wakeSleepers(until: .max) }

    /// A job that keeps its executor alive until it is done.
    fileprivate struct Job {
        let job: UnownedJob
        let executor: ThreadExecutor

        // Run as a serial executor's job. If it were run as a task executor's, tasks that prefer no
        // executor would change executors at every call of their own actor.
        func run() { unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
    }
}

/// The queued jobs in order, and the tasks that sleep.
@safe
private final class JobQueue: Sendable {
    struct Sleeper {
        /// The end of the sleep, in nanoseconds of `CLOCK_MONOTONIC`.
        let deadline: Int64
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var jobs: [ThreadExecutor.Job?] = []
        var next = 0
        var isEnding = false
        var sleepers: [Sleeper] = []
    }
    private let state = Mutex(State())
    // Threads may share the semaphore: it is initialised once and never moved.
    private nonisolated(unsafe) let changed: UnsafeMutablePointer<sem_t>

    init() {
        unsafe changed = .allocate(capacity: 1)
        unsafe sem_init(changed, 0, 0)
    }

    deinit {
        unsafe sem_destroy(changed)
        unsafe changed.deallocate()
    }

    func add(_ job: ThreadExecutor.Job) { change { $0.jobs.append(job) } }

    func end() { change { $0.isEnding = true } }

    func add(_ sleeper: Sleeper) { change { $0.sleepers.append(sleeper) } }

    func wakeSleepers(until now: Int64) {
        let due = state.withLock { state in
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        _ = unsafe sem_post(changed)
    }

    /// Runs jobs and resumes sleeping tasks until the end.
    func run() {
        while true {
            let deadline = state.withLock { $0.sleepers.map(\.deadline).min() }
            _ = unsafe clinux_semaphore_wait(changed, deadline ?? .max)
            wakeSleepers(until: Clock.monotonic)
            if let job = takeJob() {
                job.run()
            } else if state.withLock(\.isEnding) {
                return
            }
        }
    }

    private func takeJob() -> ThreadExecutor.Job? {
        state.withLock { state in
            guard state.next < state.jobs.count else { return nil }
            let job = state.jobs[state.next]
            state.jobs[state.next] = nil
            state.next += 1
            if state.next == state.jobs.count {
                state.jobs.removeAll(keepingCapacity: true)
                state.next = 0
            }
            return job
        }
    }
}
