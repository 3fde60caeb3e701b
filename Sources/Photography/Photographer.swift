// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import Kiosk
internal import Library
internal import LinuxIO
internal import Logging
internal import Media
package import Recording

/// Takes ordered shots from frame to durable photo, in the order of the presses. One shot is
/// encoded while the one before it is saved. A shot counts as captured once its frame is held, a
/// burst once its last frame is; a later failure counts as a photo that could not be saved. An
/// abandoned shot ends after its current step.
///
///     orders ──capture──▶ frames ──encode──▶ stills ──save──▶ assets
package final class Photographer: Sendable {
    private enum Step<Product: Sendable>: Sendable {
        case product(Product, of: ClaimedShot)
        /// A still of a burst could not be made.
        case missing(reason: String, of: ClaimedShot)
        case end(of: ClaimedShot)
    }

    package typealias Report = @Sendable (KioskEvent) async -> Void

    package let sessions = SessionNames()
    private let processor: PhotoProcessor
    private let store: any PhotoStore
    private let pending: PendingShots

    /// Takes nothing before ``run()``. `report` tells the kiosk, and is called in order.
    package init(
        _ reserver: FrameReserver, processor: PhotoProcessor, store: any PhotoStore,
        report: @escaping Report
    ) {
        self.processor = processor
        self.store = store
        pending = PendingShots(reserver, log: Logger(label: "photo"), report: report)
    }

    /// Takes a shot after those ordered before, exposed after its light came on, if any. Any
    /// thread.
    package func take(_ order: CaptureOrder, exposedAfter: Int64?) {
        pending.add(order, exposedAfter: exposedAfter)
    }

    /// Fails a shot before it is taken, because something that it needs is missing.
    package func refuse(_ shot: ShotIdentifier, _ reason: String) {
        pending.log.error("capture failed", metadata: ["reason": "\(reason)"])
        Task { [pending] in await pending.report(.captureFailed(shot, reason: reason)) }
    }

    /// Abandons a shot that nobody waits for: releases its frame, and does not save it unless
    /// saving has begun.
    package func abandon(_ shot: ShotIdentifier) { pending.abandon(shot) }

    /// Accepts no more orders; ``run()`` ends after the earlier ones.
    package func finish() { pending.finish() }

    /// Takes shots until ``finish()``, and returns once each has ended.
    package func run() async {
        let (frames, frameInput) = AsyncStream.makeStream(of: Step<CapturedFrame>.self)
        let (stills, stillInput) = AsyncStream.makeStream(of: Step<FinishedStill>.self)
        let backlog = StillBacklog()
        async let encoding: Void = {
            for await step in frames {
                guard let step = await encode(step) else { continue }
                stillInput.yield(step)
                if case .product(let still, _) = step { await backlog.add(still.bytes) }
            }
            stillInput.finish()
        }()
        async let saving: Void = {
            var burst: SavedBurst?
            for await step in stills {
                await save(step, &burst)
                if case .product(let still, _) = step { backlog.remove(still.bytes) }
            }
        }()
        for await shot in pending.orders { await capture(shot) { frameInput.yield($0) } }
        frameInput.finish()
        _ = await (encoding, saving)
    }

    // MARK: the stages

    private func capture(_ shot: ClaimedShot, _ hand: (Step<CapturedFrame>) -> Void) async {
        switch shot.frames.claim {
        case .frame(let claim):
            do {
                let frame = try await claim.frame()
                await pending.report(.captured(shot.id))
                hand(.product(frame, of: shot))
            } catch {
                await pending.fail(
                    shot.id, "capture failed", "\(error)", KioskEvent.captureFailed)
            }
        case .burst(let claim):
            var count = 0
            for await frame in claim.frames {
                hand(.product(frame, of: shot))
                count += 1
            }
            guard count > 0 else {
                return await pending.fail(
                    shot.id, "capture failed", "the camera delivers no frames",
                    KioskEvent.captureFailed)
            }
            if count < claim.count {
                pending.log.warning(
                    "burst cut short", metadata: ["photos": "\(count)", "wanted": "\(claim.count)"])
            }
            await pending.report(.captured(shot.id))
            hand(.end(of: shot))
        }
    }

    private func encode(_ step: Step<CapturedFrame>) async -> Step<FinishedStill>? {
        let (frame, shot): (CapturedFrame, ClaimedShot)
        switch step {
        case .product(let captured, let wanted): (frame, shot) = (captured, wanted)
        case .missing(let reason, let shot): return .missing(reason: reason, of: shot)
        case .end(let shot): return .end(of: shot)
        }
        guard pending.contains(shot.id) else { return nil }
        do {
            let still = try await processor.finish(
                frame, as: shot.photo, turned: shot.frames.rotation,
                measuresSharpness: shot.isBurst)
            for warning in still.warnings {
                pending.log.warning("photo without", metadata: ["reason": "\(warning)"])
            }
            return .product(still, of: shot)
        } catch {
            if shot.isBurst {
                pending.log.error("no picture", metadata: ["reason": "\(error)"])
                return .missing(reason: "\(error)", of: shot)
            }
            await pending.fail(shot.id, "no picture", "\(error)", KioskEvent.saveFailed)
            return nil
        }
    }

    /// - Parameter current: the burst that is being saved; its first step begins it.
    private func save(_ step: Step<FinishedStill>, _ current: inout SavedBurst?) async {
        switch step {
        case .product(let still, let shot):
            guard pending.contains(shot.id) else { return }
            let session = sessions.name(of: shot.session)
            if !shot.isBurst { return await save(still, of: shot, session) }
            var burst = current ?? SavedBurst()
            do {
                let asset = try await store.save(
                    still, session: session, burst: burst.id, isFirst: burst.count == 0)
                burst.add(still, asset)
                await pending.report(.partSaved(shot.id))
            } catch {
                pending.log.error("save failed", metadata: ["reason": "\(error)"])
                burst.failure = "\(error)"
            }
            current = burst
        case .missing(let reason, _):
            var burst = current ?? SavedBurst()
            burst.failure = reason
            current = burst
        case .end(let shot):
            await end(current ?? SavedBurst(), of: shot)
            current = nil
        }
    }

    private func save(_ still: FinishedStill, of shot: ClaimedShot, _ session: String) async {
        do {
            let asset = try await store.save(still, session: session)
            await end(shot, still, asset)
        } catch {
            await pending.fail(shot.id, "save failed", "\(error)", KioskEvent.saveFailed)
        }
    }

    /// Ends a burst: its sharpest photo represents it.
    private func end(_ burst: SavedBurst, of shot: ClaimedShot) async {
        guard let best = burst.best else {
            return await pending.fail(
                shot.id, "save failed", burst.failure, KioskEvent.saveFailed)
        }
        do {
            try await store.represent(best.asset, best.still)
        } catch {
            // Another photo represents the burst, and all photos are stored.
            pending.log.warning("burst", metadata: ["reason": "\(error)"])
        }
        await end(shot, best.still, best.asset)
    }

    private func end(_ shot: ClaimedShot, _ still: FinishedStill, _ asset: Asset) async {
        let saved = SavedPhoto(
            assetID: asset.id.uuidString, fileName: asset.fileName, thumbnail: still.thumbnail)
        if !pending.end(shot.id) {
            pending.log.notice("saved all the same", metadata: ["id": "\(saved.assetID)"])
        }
        await pending.report(.saved(shot.id, saved))
    }
}
