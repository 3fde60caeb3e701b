// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread with a name (at most 15 bytes, see pthread_setname_np(3)) and an end that can be awaited.
public final class NamedThread: Sendable {
    /// What `ps -T` shows.
    public let name: String
    private let state = Mutex(State())

    private struct State {
        var finished = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Nice value of a thread that must wake at once; the most that the shipped unit allows (`LimitNICE=`).
    static let urgentNice: Int32 = -15

    /// Starts the thread. `body` runs once on it; its return is the thread's end.
    ///
    /// - Parameter isUrgent: It has little to do, but at once: it runs before other threads and programs where
    ///   the process may say so (`RLIMIT_NICE`), else like them.
    public init(_ name: String, isUrgent: Bool = false, _ body: sending @escaping () -> Void) {
        precondition(name.utf8.count <= 15, "thread name \(name)")
        self.name = name
        let start = Start(name: name, isUrgent: isUrgent, thread: self, body: body)
        var thread = pthread_t()
        let argument = unsafe Unmanaged.passRetained(start).toOpaque()
        let code = unsafe pthread_create(&thread, nil, threadMain, argument)
        precondition(code == 0, "pthread_create: errno \(code)")
        pthread_detach(thread)
    }

    /// Whether the thread's body has returned.
    public var hasEnded: Bool { state.withLock { $0.finished } }

    /// What threads do.
    public struct Activity: Sendable, Hashable {
        /// How long they have run on processors in all, in nanoseconds.
        public var processorTime: Int64 = 0
        /// Whether one of them runs, or would if a processor were free.
        public var isRunnable = false

        /// Nothing, so far.
        public init() {}
    }

    /// What all threads of this process that have the name do; those that a library starts on one of ours have its name,
    /// too. Reads a small file for each thread of the process, and another for each of these.
    public static func activity(ofAll name: String) -> Activity {
        let threads = ((try? FileTree.names(in: "/proc/self/task")) ?? []).compactMap { pid_t($0) }
        return threads.reduce(into: Activity()) { activity, thread in
            let folder = "/proc/self/task/\(thread)"
            guard (try? readSmallFile(folder + "/comm")) == name + "\n" else { return }
            // "TID (NAME) STATE …", see proc_pid_stat(5).
            let stat = (try? readSmallFile(folder + "/stat")) ?? ""
            if stat.contains("(\(name)) R ") { activity.isRunnable = true }
            var time = timespec()
            // As pthread_getcpuclockid(3) makes it of a thread; it may just have ended.
            guard unsafe clock_gettime(~thread << 3 | 6, &time) == 0 else { return }
            activity.processorTime += Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    }

    /// Returns when the thread's body has returned.
    public func join() async {
        await withCheckedContinuation { continuation in
            let finished = state.withLock { state in
                if !state.finished { state.waiters.append(continuation) }
                return state.finished
            }
            if finished { continuation.resume() }
        }
    }

    fileprivate func finish() {
        let waiters = state.withLock { state in
            state.finished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

private final class Start {
    let name: String
    let isUrgent: Bool
    let thread: NamedThread
    let body: () -> Void
    init(name: String, isUrgent: Bool, thread: NamedThread, body: @escaping () -> Void) {
        self.name = name
        self.isUrgent = isUrgent
        self.thread = thread
        self.body = body
    }
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    _ = unsafe clinux_name_this_thread(start.name)
    if start.isUrgent { _ = clinux_nice_this_thread(NamedThread.urgentNice) }
    start.body()
    start.thread.finish()
    return nil
}
