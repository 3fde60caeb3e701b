// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Synchronization

/// Runs an actor on a thread of its own, where it may block in fsync(2) or an encoder without holding
/// up the cooperative pool. The thread ends when nobody holds the executor any more and its last job
/// has come back; one that never does is left behind.
public final class ThreadExecutor: SerialExecutor {
    private let queue = JobQueue()

    /// Starts the thread; `name` has at most 15 bytes.
    public init(_ name: String) {
        _ = NamedThread(name) { [queue] in
            while let job = queue.next() { job.run() }
        }
    }

    deinit { queue.add(nil) }

    /// Runs the job after all that came before it. Any thread; returns at once.
    public func enqueue(_ job: consuming ExecutorJob) {
        queue.add(Job(job: UnownedJob(job), executor: self))
    }

    /// Keeps its executor until it is done.
    fileprivate struct Job {
        let job: UnownedJob
        let executor: ThreadExecutor

        func run() { unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
    }
}

/// Jobs in their order, and `nil` for the end.
@safe
private final class JobQueue: Sendable {
    private struct State {
        var jobs: [ThreadExecutor.Job?] = []
        var next = 0
    }
    private let state = Mutex(State())
    // The semaphore is initialised once, never moved, and built for use by several threads.
    private nonisolated(unsafe) let available: UnsafeMutablePointer<sem_t>

    init() {
        unsafe available = .allocate(capacity: 1)
        unsafe sem_init(available, 0, 0)
    }

    deinit {
        unsafe sem_destroy(available)
        unsafe available.deallocate()
    }

    func add(_ job: ThreadExecutor.Job?) {
        state.withLock { $0.jobs.append(job) }
        _ = unsafe sem_post(available)
    }

    /// Waits for one.
    func next() -> ThreadExecutor.Job? {
        while unsafe sem_wait(available) != 0 {}
        return state.withLock { state in
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
