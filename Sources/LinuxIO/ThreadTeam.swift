// SPDX-License-Identifier: GPL-3.0-or-later

internal import Dispatch
internal import Synchronization

/// Threads that work on the parts of one thing together with the thread that asks them to, and sleep in between
/// (DispatchQueue.concurrentPerform, but not on the threads that tasks run on). They end with the object.
public final class ThreadTeam: Sendable {
    private struct Work: @unchecked Sendable {
        // Called by one thread for each index, while whoever gave it waits.
        let body: (Int) -> Void
    }
    private final class Member: Sendable {
        let begin = DispatchSemaphore(value: 0)
        let work = Mutex<Work?>(nil)
    }
    private let members: [Member]
    private let end = DispatchSemaphore(value: 0)

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - name: of at most 13 bytes.
    ///   - count: threads besides the one that asks.
    public init(_ name: String, count: Int) {
        members = (0..<count).map { _ in Member() }
        for (index, member) in members.enumerated() {
            _ = NamedThread("\(name)-\(index + 2)") { [end] in
                while true {
                    member.begin.wait()
                    var work = member.work.withLock { $0.take() }
                    if work == nil { return }
                    work?.body(index + 1)
                    // Nobody has it any more when the caller goes on.
                    work = nil
                    end.signal()
                }
            }
        }
    }

    deinit { for member in members { member.begin.signal() } }

    /// Calls `body` with 0, on this thread, and at the same time with each number up to `count`, each on one of the
    /// threads; returns when all have. For one caller at a time.
    ///
    /// - Parameter count: no more than there are threads, with this one.
    public func perform(_ count: Int, _ body: (Int) -> Void) {
        precondition((1...members.count + 1).contains(count))
        withoutActuallyEscaping(body) { body in
            let others = members.prefix(count - 1)
            for member in others {
                let work = Work(body: body)
                member.work.withLock { $0 = work }
                member.begin.signal()
            }
            body(0)
            for _ in others { end.wait() }
        }
    }
}
