// SPDX-License-Identifier: GPL-3.0-or-later

package import Controls
package import Devices
package import Kiosk
package import LinuxIO
internal import Media

/// Passes recognised gestures of buttons to the kiosk, in their order, and returns the verdicts to
/// commands that pressed a button.
package actor PressHandler {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    private let board: Board
    private let kiosk: KioskRunner
    private nonisolated let (gestures, gestureInput) = AsyncStream.makeStream(of: GestureEvent.self)
    /// The commands that wait for the verdict on their press, by ``GestureEvent/command``.
    private var waiters: [Int: CheckedContinuation<PressVerdict?, Never>] = [:]
    /// The movies that last as long as a button is held, by the button's name.
    private var heldRecordings: [String: RecordingIdentifier] = [:]

    package init(_ board: Board, _ kiosk: KioskRunner, executor: ThreadExecutor) {
        self.board = board
        self.kiosk = kiosk
        self.executor = executor
    }

    /// Hands a gesture over. Any thread.
    package nonisolated func recognized(_ gesture: GestureEvent) { gestureInput.yield(gesture) }

    /// Accepts no more gestures; ``run()`` handles those that it has.
    package nonisolated func finish() { gestureInput.finish() }

    /// Handles gestures until ``finish()``; then commands that still wait get `nil`.
    package func run() async {
        for await gesture in gestures { await handle(gesture) }
        for waiter in waiters.values { waiter.resume(returning: nil) }
        waiters = [:]
    }

    /// Makes a gesture as a person would, and returns the verdict; `nil` if the appliance stops.
    package func press(
        _ name: String, _ gesture: Gesture, on buttons: ButtonBoard
    ) async throws -> PressVerdict? {
        let command = try buttons.press(name: name, gesture: gesture)
        return await withCheckedContinuation { waiters[command] = $0 }
    }

    private func handle(_ gesture: GestureEvent) async {
        let action = board.action(for: gesture)
        guard gesture.phase == .began else {
            if let recording = heldRecordings.removeValue(forKey: gesture.name) {
                await kiosk.handle(.endRecording(recording))
            }
            return
        }
        var wanted = KioskPress(
            action, timestamp: gesture.moment, reservation: gesture.presses[0].reservation)
        // A clip that lasts as long as the button is held has no countdown.
        if action == .record, gesture.gesture == .hold { wanted.countdownSeconds = 0 }
        let verdict = await kiosk.handle(.press(wanted))
        if case .recording(let recording, begins: true) = verdict, gesture.gesture == .hold {
            heldRecordings[gesture.name] = recording
        }
        if let command = gesture.command {
            waiters.removeValue(forKey: command)?.resume(returning: verdict)
        }
    }
}
