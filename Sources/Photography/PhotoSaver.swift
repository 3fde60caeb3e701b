// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Kiosk
internal import Library
internal import Logging
internal import Recording

/// Reports what became of the shots that somebody waits for.
struct ShotLedger: Sendable {
    let wanted: WantedShots
    let log: Logger
    let report: Photographer.Report

    /// Reports a failure, if somebody still waits for the shot.
    func fail(
        _ shot: ShotIdentifier, _ message: StaticString, _ reason: String,
        _ event: (String) -> KioskEvent
    ) async {
        guard wanted.end(shot) else { return }
        log.error("\(message)", metadata: ["reason": "\(reason)"])
        await report(event(reason))
    }
}

/// The last stage of the ``Photographer``: makes stills durable one after the other.
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

    /// Notes that a still of a burst could not be made.
    mutating func miss(_ shot: ShotIdentifier, _ reason: String) {
        var burst = current(shot)
        burst.failure = reason
        self.burst = burst
    }

    /// Returns the state of a burst, and begins it with the burst's first still.
    private func current(_ shot: ShotIdentifier) -> SavedBurst {
        if let burst, burst.shot == shot { return burst }
        return SavedBurst(shot)
    }

    /// Ends a burst: its sharpest photo represents it.
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
            // Another photo represents the burst, and all photos are stored.
            ledger.log.warning("burst", metadata: ["reason": "\(error)"])
        }
        await end(shot, best.still, best.asset)
    }

    private func end(_ shot: ShotIdentifier, _ still: FinishedStill, _ asset: Asset) async {
        // `represent` changed the asset meanwhile, so this copy is stale.
        if asset.burstID == nil || asset.representsBurst { newest.add(asset) }
        let saved = SavedPhoto(
            assetID: asset.id.uuidString, fileName: asset.fileName, thumbnail: still.thumbnail)
        if !ledger.wanted.end(shot) {
            ledger.log.notice("saved all the same", metadata: ["id": "\(saved.assetID)"])
        }
        await ledger.report(.saved(shot, saved))
    }
}
