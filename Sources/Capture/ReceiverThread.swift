// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Synchronization

/// A thread of an output's own, on which its receiver is called: it takes the time that it takes.
final class ReceiverThread: Sendable {
    private let alarm: Alarm
    private let thread: NamedThread

    /// What the thread needs to wake up and to end. It holds nothing else of ``ReceiverThread``, whose end is its own.
    private final class Alarm: Sendable {
        let wake: WakeSignal
        let poller: Poller
        let hasEnded = Atomic<Bool>(false)

        init() throws(SystemCallError) {
            wake = try WakeSignal()
            poller = try Poller.watching(wake)
        }
    }

    /// Starts it. Throws when the process is out of descriptors.
    ///
    /// - Parameter deliverNext: hands the oldest of what waits to the receiver; `false` when nothing waits.
    init(
        _ name: String, deliverNext: @escaping @Sendable () -> Bool
    ) throws(SystemCallError) {
        let alarm = try Alarm()
        self.alarm = alarm
        thread = NamedThread(name) {
            while !alarm.hasEnded.load(ordering: .acquiring) {
                if !deliverNext() { _ = alarm.poller.wait() }
            }
        }
    }

    deinit { end() }

    /// Something waits.
    func wake() { alarm.wake.signal() }

    /// Nothing more is delivered than what is being delivered now.
    func end() {
        alarm.hasEnded.store(true, ordering: .releasing)
        alarm.wake.signal()
    }

    /// Returns when the thread is gone.
    func join() async { await thread.join() }
}
