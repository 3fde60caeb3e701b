// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// What the display's thread sleeps on.
///
/// Several sets, so that a flip need not cost a wake-up of its own: while nothing waits to be shown,
/// the thread sleeps on the wake signal alone and reads the flip when the next frame comes.
final class ScreenSleep: Sendable {
    private static let wakeTag: UInt64 = 0
    private static let flipTag: UInt64 = 1
    private static let idleTag: UInt64 = 2

    private let work: Poller
    private let workOrFlip: Poller
    private let flip: Poller
    private let idle: IdleTimer

    /// - Parameter limit: nanoseconds after which the thread wakes up though nothing happens.
    init(_ wake: WakeSignal, limit: Int64) throws(SystemCallError) {
        let idle = try IdleTimer(limit: limit)
        work = try Self.poller(wake, idle)
        workOrFlip = try Self.poller(wake, idle)
        flip = try Poller()
        self.idle = idle
    }

    private static func poller(
        _ wake: WakeSignal, _ idle: borrowing IdleTimer
    ) throws(SystemCallError) -> Poller {
        let poller = try Poller.watching(wake, tag: wakeTag)
        try poller.add(idle.number, tag: idleTag)
        return poller
    }

    /// Watches a display that was opened; the kernel forgets it when it is closed.
    func watch(_ flipDescriptor: CInt) throws(SystemCallError) {
        try workOrFlip.add(flipDescriptor, tag: Self.flipTag)
        try flip.add(flipDescriptor, tag: Self.flipTag)
    }

    /// Waits for a flip alone; what wakes the thread meanwhile is not lost.
    func waitForFlip(milliseconds: Int32) { _ = flip.wait(milliseconds: milliseconds) }

    /// Sleeps until there is work, or at the longest until the limit has passed since `last` (nanoseconds
    /// of `CLOCK_MONOTONIC`), which another thread may move on meanwhile.
    func wait(_ rest: ScreenLoop.Rest, since last: () -> Int64) {
        let event =
            switch rest {
            case .untilWork: work.wait()
            case .untilFlip: workOrFlip.wait()
            case .untilRefresh(let milliseconds): work.wait(milliseconds: milliseconds)
            }
        // Setting a timer that exists to a time in the future cannot fail.
        if event?.tag == Self.idleTag { _ = try? idle.hasExpired(since: last()) }
    }
}
