// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Kiosk
internal import Library
internal import Logging
internal import Recording

/// Who waits for which shot, and who is told what became of it.
struct ShotLedger: Sendable {
    let wanted: WantedShots
    let log: Logger
    let report: Photographer.Report

    /// Says of a shot that somebody still waits for that there is nothing.
    func fail(
        _ shot: ShotIdentifier, _ message: StaticString, _ reason: String,
        _ event: (String) -> KioskEvent
    ) async {
        guard wanted.end(shot) else { return }
        log.error("\(message)", metadata: ["reason": "\(reason)"])
        await report(event(reason))
    }
}

/// The last stage of the ``Photographer``: makes stills durable, one after the other.
struct PhotoSaver {
    private let store: any PhotoStore
    private let sessions: SessionNames
    private let newest: NewestAssets
    private let ledger: ShotLedger
    private var burst: SavedBurst?

    init(
        store: any PhotoStore, sessions: SessionNames, newest: NewestAssets, ledger: ShotLedger
    ) {
        self.store = store
        self.sessions = sessions
        self.newest = newest
        self.ledger = ledger
    }

    mutating func save(_ still: FinishedStill, of order: Photographer.Order) async {
        guard ledger.wanted.contains(order.shot) else { return }
        let session = sessions.name(of: order.session)
        if order.isBurst { return await save(still, of: order.shot, session) }
        do {
            let asset = try await store.save(still, session: session)
            await end(order.shot, still, asset)
        } catch {
            await ledger.fail(order.shot, "save failed", "\(error)") {
                .saveFailed(order.shot, reason: $0)
            }
        }
    }

    private mutating func save(
        _ still: FinishedStill, of shot: ShotIdentifier, _ session: String
    ) async {
        var burst = current(shot)
        do {
            let asset = try await store.save(
                still, session: session, burst: burst.id, isFirst: burst.count == 0)
            burst.add(still, asset)
            await ledger.report(.partSaved(shot))
        } catch {
            ledger.log.error("save failed", metadata: ["reason": "\(error)"])
            burst.failure = "\(error)"
        }
        self.burst = burst
    }

    /// A still of a burst could not be made.
    mutating func miss(_ shot: ShotIdentifier, _ reason: String) {
        var burst = current(shot)
        burst.failure = reason
        self.burst = burst
    }

    /// The burst under way, begun if it is another's.
    private func current(_ shot: ShotIdentifier) -> SavedBurst {
        if let burst, burst.shot == shot { return burst }
        return SavedBurst(shot)
    }

    /// No more stills come of a burst: the sharpest stands for it.
    mutating func endBurst(_ shot: ShotIdentifier) async {
        let burst = current(shot)
        self.burst = nil
        guard let best = burst.best else {
            return await ledger.fail(shot, "save failed", burst.failure) {
                .saveFailed(shot, reason: $0)
            }
        }
        do {
            try await store.represent(best.asset, best.still)
        } catch {
            // Another one stands for it, and all are there.
            ledger.log.warning("burst", metadata: ["reason": "\(error)"])
        }
        await end(shot, best.still, best.asset)
    }

    private func end(_ shot: ShotIdentifier, _ still: FinishedStill, _ asset: Asset) async {
        // One that has come to stand for its burst since is another now.
        if asset.burstID == nil || asset.representsBurst { newest.add(asset) }
        let saved = SavedPhoto(
            assetID: asset.id.uuidString, fileName: asset.fileName, thumbnail: still.thumbnail)
        if !ledger.wanted.end(shot) {
            ledger.log.notice("saved all the same", metadata: ["id": "\(saved.assetID)"])
        }
        await ledger.report(.saved(shot, saved))
    }
}
