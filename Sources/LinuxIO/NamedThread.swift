// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread with a name (at most 15 bytes, see pthread_setname_np(3)) whose end can be awaited.
public final class NamedThread: Sendable {
    /// The name that `ps -T` shows.
    public let name: String
    private let state = Mutex(State())

    private struct State {
        var finished = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The nice value of an urgent thread: the lowest that the shipped unit allows (`LimitNICE=`).
    static let urgentNice: Int32 = -15

    /// Starts the thread, which runs `body` once. An urgent thread has little to do and runs before
    /// other threads and programs, if the process may raise its priority (`RLIMIT_NICE`).
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

    /// Waits until the thread's body has returned.
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
