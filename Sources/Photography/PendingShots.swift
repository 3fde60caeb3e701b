// SPDX-License-Identifier: GPL-3.0-or-later

internal import Kiosk
internal import Logging
internal import Synchronization

/// The shots that somebody waits for, and the reports of how they end.
final class PendingShots: Sendable {
    let log: Logger
    let report: Photographer.Report
    private let frames = Mutex<[ShotIdentifier: ClaimedFrames]>([:])

    init(log: Logger, report: @escaping Photographer.Report) {
        self.log = log
        self.report = report
    }

    func begin(_ shot: ClaimedShot) { frames.withLock { $0[shot.id] = shot.frames } }

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
