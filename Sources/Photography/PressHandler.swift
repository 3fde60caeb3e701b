// SPDX-License-Identifier: GPL-3.0-or-later

package import Controls
package import Devices
package import Kiosk
package import LinuxIO

/// Passes recognised gestures of buttons to the kiosk, in their order, and returns the verdicts to
/// commands that pressed a button.
package actor PressHandler {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    private let board: Board
    private let kiosk: KioskRunner
    private let claims: FrameClaims
    private nonisolated let (gestures, gestureInput) = AsyncStream.makeStream(of: GestureEvent.self)
    /// The commands that wait for the verdict on their press, by its time.
    private var waiters: [Int64: CheckedContinuation<PressVerdict?, Never>] = [:]
    /// The movies that last as long as a button is held, by the button's name.
    private var heldRecordings: [String: RecordingIdentifier] = [:]

    /// - Parameter executor: shared with the appliance's other parts.
    package init(
        _ board: Board, _ kiosk: KioskRunner, _ claims: FrameClaims, executor: ThreadExecutor
    ) {
        self.board = board
        self.kiosk = kiosk
        self.claims = claims
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
        let event = try buttons.press(name: name, gesture: gesture)
        return await withCheckedContinuation { waiters[event.moment] = $0 }
    }

    private func handle(_ gesture: GestureEvent) async {
        let action = board.action(for: gesture)
        guard gesture.phase == .began else {
            if let recording = heldRecordings.removeValue(forKey: gesture.name) {
                await kiosk.handle(.endRecording(recording))
            }
            return
        }
        var wanted = KioskPress(action, timestamp: gesture.moment)
        // A clip that lasts as long as the button is held has no countdown.
        if action == .record, gesture.gesture == .hold { wanted.countdownSeconds = 0 }
        let verdict = await kiosk.handle(.press(wanted))
        if case .recording(let recording, begins: true) = verdict, gesture.gesture == .hold {
            heldRecordings[gesture.name] = recording
        }
        for press in gesture.presses {
            // A burst or a loop has taken the frames that it needs of the claim.
            let isTaken = if case .accepted = verdict { press == gesture.moment } else { false }
            if !isTaken || [.burst, .loop].contains(action) { claims.drop(press) }
            waiters.removeValue(forKey: press)?.resume(returning: verdict)
        }
    }
}
