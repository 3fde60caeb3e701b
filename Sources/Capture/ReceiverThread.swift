// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Synchronization

/// A thread that one output owns for its receiver, which may take any time.
final class ReceiverThread: Sendable {
    private let alarm: Alarm
    private let thread: NamedThread

    /// The state for waking and ending the thread. The thread must not hold the ``ReceiverThread``,
    /// whose release ends the thread.
    private final class Alarm: Sendable {
        let wake: WakeSignal
        let poller: Poller
        let hasEnded = Atomic<Bool>(false)

        init() throws(SystemCallError) {
            wake = try WakeSignal()
            poller = try Poller.watching(wake)
        }
    }

    /// Starts the thread. `deliverNext` passes the oldest pending item to the receiver, and returns
    /// `false` if there is none. Throws only when the process is out of descriptors.
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

    func wake() { alarm.wake.signal() }

    /// Ends the thread after the present delivery.
    func end() {
        alarm.hasEnded.store(true, ordering: .releasing)
        alarm.wake.signal()
    }

    func join() async { await thread.join() }
}
