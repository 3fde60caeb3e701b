// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Synchronization

/// Runs an actor on a thread of its own, where it may block in fsync(2) or an encoder without holding
/// up the cooperative pool. Lives as long as the process.
@safe
public final class ThreadExecutor: SerialExecutor {
    private let queue: Mutex<Queue>
    // The semaphore is initialised once, never moved, and built for use by several threads.
    private nonisolated(unsafe) let available: UnsafeMutablePointer<sem_t>

    private struct Queue {
        var jobs: [UnownedJob] = []
        var next = 0
    }

    /// Starts the thread; `name` has at most 15 bytes.
    public init(_ name: String) {
        queue = Mutex(Queue())
        unsafe available = .allocate(capacity: 1)
        unsafe sem_init(available, 0, 0)
        _ = NamedThread(name) { [self] in
            while true { runNext() }
        }
    }

    /// Runs the job after all that came before it. Any thread; returns at once.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
        _ = unsafe sem_post(available)
    }

    private func runNext() {
        while unsafe sem_wait(available) != 0 {}
        let job = queue.withLock { queue in
            let job = queue.jobs[queue.next]
            queue.next += 1
            if queue.next == queue.jobs.count {
                queue.jobs.removeAll(keepingCapacity: true)
                queue.next = 0
            }
            return job
        }
        unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
}
