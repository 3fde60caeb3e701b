// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// The thread that a camera's loop runs on. One that its driver keeps can be given up for another.
struct CameraThread: Sendable {
    private let thread: NamedThread
    private let boundary: KernelBoundary
    private let estate: CameraEstate
    private let mailbox: CameraMailbox
    private let statistics: CaptureStatistics
    private let events: AsyncStream<CameraEvent>.Continuation

    /// Starts it; `events` end with it.
    ///
    /// - Parameter estate: What the thread before it has left.
    init(
        _ mailbox: CameraMailbox, _ statistics: CaptureStatistics,
        _ events: AsyncStream<CameraEvent>.Continuation,
        inheriting estate: CameraEstate = CameraEstate()
    ) {
        let boundary = KernelBoundary()
        self.boundary = boundary
        self.estate = estate
        self.mailbox = mailbox
        self.statistics = statistics
        self.events = events
        thread = NamedThread("camera", isUrgent: true) {
            let loop = CameraLoop(
                mailbox: mailbox, statistics: statistics, boundary: boundary, estate: estate
            ) {
                events.yield($0)
            }
            loop.run()
            if !boundary.isAbandoned { events.finish() }
        }
    }

    var hasEnded: Bool { thread.hasEnded }

    /// Gives the thread up and starts its successor, unless it is in our own code.
    func replaced() -> CameraThread? {
        guard boundary.abandon() else { return nil }
        // The successor's time begins now.
        statistics.moved()
        return CameraThread(mailbox, statistics, events, inheriting: estate.handedOver())
    }
}

/// What a camera's thread has of others': only that thread touches it, and its successor after it was given
/// up.
final class CameraEstate: @unchecked Sendable {
    /// Outputs whose stream has started.
    var outputs: [any CaptureOutput] = []
    /// Outputs that were told that their stream is only agreed anew.
    var expectant: [any CaptureOutput] = []
    /// The camera that is open.
    var camera: (any CameraStream)?

    /// For the successor: nothing comes from the camera any more, which somebody may wait for in vain.
    func handedOver() -> CameraEstate {
        let heir = CameraEstate()
        (heir.outputs, heir.expectant) = (outputs, expectant)
        if let camera {
            self.camera = nil
            // Perhaps that does not return, either.
            nonisolated(unsafe) let camera = camera
            _ = NamedThread("camera-release") { unsafe camera.stop() }
        }
        return heir
    }
}
