// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// The descriptors that wake the display's thread. Several sets avoid a wake-up for each flip:
/// while nothing waits to be shown, the thread sleeps on the wake signal alone and reads the flip
/// when the next frame comes.
final class ScreenSleep: Sendable {
    private static let wakeTag: UInt64 = 0
    private static let flipTag: UInt64 = 1
    private static let idleTag: UInt64 = 2

    private let work: Poller
    private let workOrFlip: Poller
    private let flip: Poller
    private let idle: IdleTimer

    /// Wakes the thread after `limit` nanoseconds even if nothing happens.
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

    /// Watches the flips of an opened display. The kernel forgets the descriptor when it is closed.
    func watch(_ flipDescriptor: CInt) throws(SystemCallError) {
        try workOrFlip.add(flipDescriptor, tag: Self.flipTag)
        try flip.add(flipDescriptor, tag: Self.flipTag)
    }

    /// Waits for a flip alone. Wake-ups meanwhile are not lost.
    func waitForFlip(milliseconds: Int32) { _ = flip.wait(milliseconds: milliseconds) }

    /// Sleeps until there is work, but at most until the limit has passed since `last` (nanoseconds
    /// of `CLOCK_MONOTONIC`), which another thread may advance meanwhile.
    func wait(_ rest: ScreenLoop.Rest, since last: () -> Int64) {
        let event =
            switch rest {
            case .untilWork: work.wait()
            case .untilFlip: workOrFlip.wait()
            case .untilRefresh(let milliseconds): work.wait(milliseconds: milliseconds)
            }
        // Setting an existing timer to a future time cannot fail.
        if event?.tag == Self.idleTag { _ = try? idle.hasExpired(since: last()) }
    }
}
