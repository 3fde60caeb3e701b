// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Kiosk
internal import Library
internal import LinuxIO
internal import Logging
internal import Recording

/// Takes ordered shots from frame to durable photo, in the order of the presses: one is encoded while
/// the one before it is being saved.
final class Photographer: Sendable {
    struct Order: Sendable {
        let shot: ShotIdentifier
        let claim: FrameClaim
    }
    private struct Finished: Sendable {
        let shot: ShotIdentifier
        let still: FinishedStill
    }

    /// What is reported of a shot.
    typealias Report = @Sendable (KioskEvent) async -> Void

    private let orders: AsyncStream<Order>.Continuation
    private let encoding: Task<Void, Never>
    private let saving: Task<Void, Never>

    /// - Parameter save: makes a still durable.
    init(
        processor: PhotoProcessor, save: @escaping @Sendable (FinishedStill) async throws -> Asset,
        report: @escaping Report
    ) {
        let log = Logger(label: "photo")
        let (orders, orderContinuation) = AsyncStream.makeStream(of: Order.self)
        let (stills, stillContinuation) = AsyncStream.makeStream(of: Finished.self)
        self.orders = orderContinuation
        encoding = Task {
            for await order in orders {
                do {
                    let frame = try await order.claim.frame()
                    let still = try await processor.finish(frame)
                    for warning in still.warnings {
                        log.warning("photo without", metadata: ["reason": "\(warning)"])
                    }
                    await report(.captured(order.shot))
                    stillContinuation.yield(Finished(shot: order.shot, still: still))
                } catch {
                    log.error("capture failed", metadata: ["reason": "\(error)"])
                    await report(.captureFailed(order.shot, reason: "\(error)"))
                }
            }
            stillContinuation.finish()
        }
        saving = Task {
            for await finished in stills {
                do {
                    let asset = try await save(finished.still)
                    let saved = SavedPhoto(
                        assetID: asset.id.uuidString, fileName: asset.fileName,
                        thumbnail: finished.still.thumbnail)
                    await report(.saved(finished.shot, saved))
                } catch {
                    log.error("save failed", metadata: ["reason": "\(error)"])
                    await report(.saveFailed(finished.shot, reason: "\(error)"))
                }
            }
        }
    }

    func take(_ order: Order) { orders.yield(order) }

    /// Returns when every ordered shot has ended.
    func finish() async {
        orders.finish()
        await encoding.value
        await saving.value
    }
}
