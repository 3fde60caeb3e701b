// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// What the display's thread sleeps on.
///
/// Several sets, so that a flip need not cost a wake-up of its own: while nothing waits to be shown,
/// the thread sleeps on the wake signal alone and reads the flip when the next frame comes.
final class ScreenSleep: Sendable {
    private let work: Poller
    private let workOrFlip: Poller
    private let flip: Poller

    init(_ wake: WakeSignal) throws(SystemCallError) {
        work = try Self.poller(wake)
        workOrFlip = try Self.poller(wake)
        flip = try Poller()
    }

    private static func poller(_ wake: WakeSignal) throws(SystemCallError) -> Poller {
        let poller = try Poller()
        try poller.add(wake, tag: 0)
        return poller
    }

    /// Watches a display that was opened; the kernel forgets it when it is closed.
    func watch(_ flipDescriptor: CInt) throws(SystemCallError) {
        try workOrFlip.add(flipDescriptor, tag: 1)
        try flip.add(flipDescriptor, tag: 1)
    }

    /// Waits for a flip alone; what wakes the thread meanwhile is not lost.
    func waitForFlip(milliseconds: Int32) { _ = flip.wait(milliseconds: milliseconds) }

    func wait(alsoForFlip: Bool, milliseconds: Int32) {
        _ =
            alsoForFlip
            ? workOrFlip.wait(milliseconds: milliseconds) : work.wait(milliseconds: milliseconds)
    }
}
