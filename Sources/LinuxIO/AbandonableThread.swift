// SPDX-License-Identifier: GPL-3.0-or-later

/// A thread whose calls into a driver may hang. Another thread can abandon it during such a call,
/// and start a successor.
public struct AbandonableThread: Sendable {
    private let thread: NamedThread
    private let callGuard: BlockingCallGuard

    /// Starts the thread, which runs `body` once; the guard surrounds its calls that may hang.
    public init(
        _ name: String, isUrgent: Bool = false,
        _ body: sending @escaping (BlockingCallGuard) -> Void
    ) {
        let callGuard = BlockingCallGuard()
        self.callGuard = callGuard
        thread = NamedThread(name, isUrgent: isUrgent) { body(callGuard) }
    }

    /// Abandons the thread if it is in a call that may hang; returns whether it was.
    public func abandon() -> Bool { callGuard.abandon() }

    /// Waits until the thread's body has returned.
    public func join() async { await thread.join() }

    fileprivate var hasEnded: Bool { thread.hasEnded }
}

/// The abandoned threads of one purpose that are still blocked.
public struct BlockedThreads: Sendable {
    /// The most blocked threads. If more block, only a new process helps.
    public static let maximum = 3
    private var threads: [AbandonableThread] = []

    /// No thread.
    public init() {}

    /// Adds a thread that was abandoned.
    public mutating func append(_ thread: AbandonableThread) { threads.append(thread) }

    /// Returns the number of threads that are still blocked.
    public mutating func count() -> Int {
        threads.removeAll(where: \.hasEnded)
        return threads.count
    }
}
