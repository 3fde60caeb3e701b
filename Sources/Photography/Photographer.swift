// SPDX-License-Identifier: GPL-3.0-or-later

package import Kiosk
package import Library
internal import LinuxIO
internal import Logging
package import Media
package import Recording

/// Takes ordered shots from frame to durable photo, in the order of the presses. One shot is
/// encoded while the one before it is saved. A shot counts as captured once its frame is held, a
/// burst once its last frame is; a later failure counts as a photo that could not be saved. An
/// abandoned shot ends after its current step.
///
///     orders ──capturing──▶ frames ──encoding──▶ stills ──saving──▶ assets
package final class Photographer: Sendable {
    package struct Order: Sendable {
        package let shot: ShotIdentifier
        let session: SessionNumber
        let photo: CapturePhotoSettings
        let frames: Frames

        /// The frames of a shot.
        package enum Frames: Sendable {
            case photo(HeldFrame)
            case burst(HeldBurst)
        }

        package init(
            shot: ShotIdentifier, session: SessionNumber,
            photo: CapturePhotoSettings = CapturePhotoSettings(), frames: Frames
        ) {
            self.shot = shot
            self.session = session
            self.photo = photo
            self.frames = frames
        }
    }
    private enum Captured: Sendable {
        case frame(Order, CapturedFrame)
        /// The end of a burst.
        case end(Order)
    }
    private enum Finished: Sendable {
        case still(Order, FinishedStill)
        /// A still of a burst that could not be made.
        case missing(Order, reason: String)
        case end(Order)
    }

    /// Tells the kiosk what became of a shot.
    package typealias Report = @Sendable (KioskEvent) async -> Void

    /// The names of the guests' sessions.
    package let sessions = SessionNames()
    private let log: Logger
    private let wanted: WantedShots
    private let saved = NewestAssets()
    private let report: Report
    private let orders: AsyncStream<Order>.Continuation
    private let capturing: Task<Void, Never>
    private let encoding: Task<Void, Never>
    private let saving: Task<Void, Never>

    /// Starts the three stages.
    ///
    /// - Parameter report: tells the kiosk; called in order.
    package init(
        processor: PhotoProcessor, store: any PhotoStore, report: @escaping Report
    ) {
        let log = Logger(label: "photo")
        let wanted = WantedShots()
        self.log = log
        self.wanted = wanted
        self.report = report
        let (orders, orderContinuation) = AsyncStream.makeStream(of: Order.self)
        let (frames, frameContinuation) = AsyncStream.makeStream(of: Captured.self)
        let (stills, stillContinuation) = AsyncStream.makeStream(of: Finished.self)
        self.orders = orderContinuation
        let ledger = ShotLedger(wanted: wanted, log: log, report: report)
        capturing = Task {
            for await order in orders {
                await Self.capture(order, ledger) { frameContinuation.yield($0) }
            }
            frameContinuation.finish()
        }
        let backlog = StillBacklog()
        encoding = Task {
            for await captured in frames {
                guard let finished = await Self.encode(captured, processor, ledger) else {
                    continue
                }
                stillContinuation.yield(finished)
                if case .still(_, let still) = finished { await backlog.add(still.bytes) }
            }
            stillContinuation.finish()
        }
        saving = Task { [sessions, newest = self.saved] in
            var saver = PhotoSaver(
                store: store, sessions: sessions, newest: newest, ledger: ledger)
            for await finished in stills {
                switch finished {
                case .still(let order, let still):
                    await saver.save(still, of: order)
                    backlog.remove(still.bytes)
                case .missing(let order, let reason): saver.miss(order.shot, reason)
                case .end(let order): await saver.endBurst(order.shot)
                }
            }
        }
    }

    /// Passes the frames of a shot on as they come.
    private static func capture(
        _ order: Order, _ ledger: ShotLedger, _ hand: (Captured) -> Void
    ) async {
        switch order.frames {
        case .photo(let held):
            do {
                let frame = try await held.claim.frame()
                await ledger.report(.captured(order.shot))
                hand(.frame(order, frame))
            } catch {
                await ledger.fail(order.shot, "capture failed", "\(error)") {
                    .captureFailed(order.shot, reason: $0)
                }
            }
        case .burst(let held):
            var count = 0
            for await frame in held.claim.frames {
                hand(.frame(order, frame))
                count += 1
            }
            guard count > 0 else {
                return await ledger.fail(
                    order.shot, "capture failed", "the camera delivers no frames"
                ) { .captureFailed(order.shot, reason: $0) }
            }
            if count < held.claim.count {
                ledger.log.warning(
                    "burst cut short",
                    metadata: ["photos": "\(count)", "wanted": "\(held.claim.count)"])
            }
            await ledger.report(.captured(order.shot))
            hand(.end(order))
        }
    }

    private static func encode(
        _ captured: Captured, _ processor: PhotoProcessor, _ ledger: ShotLedger
    ) async -> Finished? {
        let (order, frame): (Order, CapturedFrame)
        switch captured {
        case .end(let order): return .end(order)
        case .frame(let wanted, let captured): (order, frame) = (wanted, captured)
        }
        guard ledger.wanted.contains(order.shot) else { return nil }
        do {
            let still = try await processor.finish(
                frame, as: order.photo, turned: order.rotation, measuresSharpness: order.isBurst)
            for warning in still.warnings {
                ledger.log.warning("photo without", metadata: ["reason": "\(warning)"])
            }
            return .still(order, still)
        } catch {
            if order.isBurst {
                ledger.log.error("no picture", metadata: ["reason": "\(error)"])
                return .missing(order, reason: "\(error)")
            }
            await ledger.fail(order.shot, "no picture", "\(error)") {
                .saveFailed(order.shot, reason: $0)
            }
            return nil
        }
    }

    /// Takes a shot after those ordered before. Any thread.
    package func take(_ order: Order) {
        wanted.begin(order)
        orders.yield(order)
    }

    /// Fails a shot before it is taken, because something that it needs is missing.
    package func refuse(_ shot: ShotIdentifier, _ reason: String) {
        log.error("capture failed", metadata: ["reason": "\(reason)"])
        Task { [report] in await report(.captureFailed(shot, reason: reason)) }
    }

    /// Returns the asset as it was when it was saved, if it is one of the newest few.
    package func asset(savedAs id: String) -> Asset? { saved.asset(id) }

    /// Abandons a shot that nobody waits for: releases its frame, and does not save it unless
    /// saving has begun.
    package func abandon(_ shot: ShotIdentifier) {
        guard let frames = wanted.abandon(shot) else { return }
        log.error("given up", metadata: ["shot": "\(shot.number)"])
        frames.abandon()
    }

    /// Accepts no more orders; earlier ones continue.
    package func stop() { orders.finish() }

    /// Returns once every ordered shot has ended.
    package func finish() async {
        stop()
        await capturing.value
        await encoding.value
        await saving.value
    }
}

extension Photographer.Order {
    var isBurst: Bool { if case .burst = frames { true } else { false } }

    /// The rotation of the pictures, in addition to the camera's mount rotation.
    var rotation: Rotation {
        get async {
            switch frames {
            case .photo(let held): await held.rotation
            case .burst(let held): await held.rotation
            }
        }
    }
}

extension Photographer.Order.Frames {
    func abandon() {
        switch self {
        case .photo(let held): held.abandon()
        case .burst(let held): held.abandon()
        }
    }
}
