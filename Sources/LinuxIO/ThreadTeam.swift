// SPDX-License-Identifier: GPL-3.0-or-later

internal import Dispatch
internal import Synchronization

/// Threads that work on the parts of one job together with the calling thread, and sleep in
/// between. Unlike DispatchQueue.concurrentPerform, the team does not use the threads that tasks
/// run on. Its threads end with the object.
public final class ThreadTeam: Sendable {
    private struct Work: @unchecked Sendable {
        // Sendable: one thread calls it for each index, while the caller waits.
        let body: (Int) -> Void
    }
    private final class Member: Sendable {
        let begin = DispatchSemaphore(value: 0)
        let work = Mutex<Work?>(nil)
    }
    private let members: [Member]
    private let end = DispatchSemaphore(value: 0)

    /// Starts `count` threads besides the calling one; `name` has at most 13 bytes.
    public init(_ name: String, count: Int) {
        members = (0..<count).map { _ in Member() }
        for (index, member) in members.enumerated() {
            _ = NamedThread("\(name)-\(index + 2)") { [end] in
                while true {
                    member.begin.wait()
                    var work = member.work.withLock { $0.take() }
                    if work == nil { return }
                    work?.body(index + 1)
                    // The closure must be released before the caller continues.
                    work = nil
                    end.signal()
                }
            }
        }
    }

    deinit { for member in members { member.begin.signal() } }

    /// Calls `body` with 0 on this thread, and at the same time with each number below `count` on a
    /// thread of the team. Returns when all calls have returned. Only one thread at a time may call
    /// this.
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
