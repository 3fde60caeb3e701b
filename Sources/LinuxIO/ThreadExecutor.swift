// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc
internal import Synchronization

/// Runs an actor on a thread of its own, where it may block in fsync(2) or an encoder without holding
/// up the cooperative pool. The thread ends when nobody holds the executor any more and its last job
/// has come back; one that never does is left behind.
///
/// What resumes a task goes through the cooperative pool first, which wakes up a thread there, unless the task prefers
/// this executor.
public final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private let queue = JobQueue()

    /// Starts the thread; `name` has at most 15 bytes.
    public init(_ name: String) {
        _ = NamedThread(name) { [queue] in queue.run() }
    }

    deinit { queue.end() }

    /// Runs the job after all that came before it. Any thread; returns at once.
    public func enqueue(_ job: consuming ExecutorJob) {
        queue.add(Job(job: UnownedJob(job), executor: self))
    }

    /// Suspends a task for so long, or until ``wakeSleepers()``. The thread that waits for the next job resumes it as
    /// well, where `Task.sleep` wakes up two of others'.
    public nonisolated(nonsending) func sleep(for duration: Duration) async {
        let deadline = Clock.monotonic + Int64(duration / .nanoseconds(1))
        await withCheckedContinuation { queue.add(.init(deadline: deadline, continuation: $0)) }
    }

    /// Ends every sleep. Any thread.
    public func wakeSleepers() { queue.wakeSleepers(until: .max) }

    /// Keeps its executor until it is done.
    fileprivate struct Job {
        let job: UnownedJob
        let executor: ThreadExecutor

        // As any actor's job: said to be a task executor's, those whose tasks prefer none would change executors at every
        // call of their own actor.
        func run() { unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
    }
}

/// Jobs in their order, and who is to be woken up, and when.
@safe
private final class JobQueue: Sendable {
    struct Sleeper {
        /// Nanoseconds of `CLOCK_MONOTONIC`.
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
    // The semaphore is initialised once, never moved, and built for use by several threads.
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

    /// Nobody adds anything any more.
    func end() { change { $0.isEnding = true } }

    func add(_ sleeper: Sleeper) { change { $0.sleepers.append(sleeper) } }

    /// Those whose deadline is not later than that.
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

    /// Runs the jobs as they come, and wakes up who is due, until the end.
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
