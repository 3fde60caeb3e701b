// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// A thread that runs a camera's loop. If the driver blocks it, a successor can replace it.
struct CameraThread: Sendable {
    let thread: AbandonableThread
    private let estate: CameraThreadState
    private let mailbox: CameraMailbox
    private let statistics: CaptureStatistics
    private let events: AsyncStream<CameraEvent>.Continuation

    /// Starts a thread that takes over `estate` and finishes `events` at its end, unless abandoned.
    init(
        _ mailbox: CameraMailbox, _ statistics: CaptureStatistics,
        _ events: AsyncStream<CameraEvent>.Continuation,
        inheriting estate: CameraThreadState = CameraThreadState()
    ) {
        self.estate = estate
        self.mailbox = mailbox
        self.statistics = statistics
        self.events = events
        thread = AbandonableThread("camera", isUrgent: true) { callGuard in
            let loop = CameraLoop(
                mailbox: mailbox, statistics: statistics, callGuard: callGuard, estate: estate
            ) {
                events.yield($0)
            }
            loop.run()
            if !callGuard.isAbandoned { events.finish() }
        }
    }

    /// Abandons the thread and returns its successor; `nil` if it is not in a blocking call.
    func replaced() -> CameraThread? {
        guard thread.abandon() else { return nil }
        // The successor's first heartbeat.
        statistics.moved()
        return CameraThread(mailbox, statistics, events, inheriting: estate.handedOver())
    }
}

/// The state of a camera's thread that its successor takes over. Only that thread uses it; after
/// the thread was abandoned, only the code that replaces it.
final class CameraThreadState: @unchecked Sendable {
    /// The outputs whose stream has started.
    var outputs: [any CaptureOutput] = []
    /// The outputs that were told that their stream will restart.
    var awaitingRestart: [any CaptureOutput] = []
    var camera: (any CameraStream)?

    /// Returns the successor's state, and stops the camera so that no one waits for its frames.
    func handedOver() -> CameraThreadState {
        let heir = CameraThreadState()
        (heir.outputs, heir.awaitingRestart) = (outputs, awaitingRestart)
        if let camera {
            self.camera = nil
            // `stop()` may block as well, so it gets its own thread.
            nonisolated(unsafe) let camera = camera
            _ = NamedThread("camera-release") { unsafe camera.stop() }
        }
        return heir
    }
}
