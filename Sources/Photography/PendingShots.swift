// SPDX-License-Identifier: GPL-3.0-or-later

internal import Kiosk
internal import Logging
internal import Synchronization

/// The ordered shots that somebody waits for, in their order, and the reports of how they end.
final class PendingShots: Sendable {
    let log: Logger
    let report: Photographer.Report
    /// For one reader.
    let orders: AsyncStream<ClaimedShot>
    private let input: AsyncStream<ClaimedShot>.Continuation
    private let reserver: FrameReserver
    private let frames = Mutex<[ShotIdentifier: ClaimedFrames]>([:])

    init(_ reserver: FrameReserver, log: Logger, report: @escaping Photographer.Report) {
        self.reserver = reserver
        self.log = log
        self.report = report
        (orders, input) = AsyncStream.makeStream()
    }

    /// Claims the frames of a shot, exposed after its light came on, if any.
    func add(_ order: CaptureOrder, exposedAfter: Int64?) {
        let shot = reserver.claim(order, exposedAfter: exposedAfter)
        frames.withLock { $0[shot.id] = shot.frames }
        input.yield(shot)
    }

    /// Ends ``orders`` after the earlier ones.
    func finish() { input.finish() }

    func contains(_ shot: ShotIdentifier) -> Bool { frames.withLock { $0[shot] != nil } }

    /// Ends the waiting; returns whether somebody still waited for the shot.
    func end(_ shot: ShotIdentifier) -> Bool {
        frames.withLock { $0.removeValue(forKey: shot) } != nil
    }

    /// Ends the waiting, and gives up the shot's frames. Ignores other recorders' shots.
    func abandon(_ shot: ShotIdentifier) {
        guard let claimed = frames.withLock({ $0.removeValue(forKey: shot) }) else { return }
        log.error("given up", metadata: ["shot": "\(shot.number)"])
        claimed.abandon()
    }

    /// Reports a failure, if somebody still waits for the shot.
    func fail(
        _ shot: ShotIdentifier, _ message: StaticString, _ reason: String,
        _ event: (ShotIdentifier, String) -> KioskEvent
    ) async {
        guard end(shot) else { return }
        log.error("\(message)", metadata: ["reason": "\(reason)"])
        await report(event(shot, reason))
    }
}
