// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Kiosk
internal import Library
internal import LinuxIO
internal import Logging
internal import Recording
internal import Synchronization

/// Takes ordered shots from frame to durable photo, in the order of the presses: one is encoded while
/// the one before it is being saved. A shot is captured when its frame is held; what fails after that is
/// a photo that could not be saved.
final class Photographer: Sendable {
    struct Order: Sendable {
        let shot: ShotIdentifier
        let session: SessionNumber
        let frame: HeldFrame
    }
    private struct Captured: Sendable {
        let order: Order
        let frame: CapturedFrame
    }
    private struct Finished: Sendable {
        let order: Order
        let still: FinishedStill
    }

    /// What is reported of a shot.
    typealias Report = @Sendable (KioskEvent) async -> Void

    let sessions = SessionNames()
    private let orders: AsyncStream<Order>.Continuation
    private let capturing: Task<Void, Never>
    private let encoding: Task<Void, Never>
    private let saving: Task<Void, Never>

    /// - Parameters:
    ///   - save: makes a still durable; the text names the guest's session.
    init(
        processor: PhotoProcessor,
        save: @escaping @Sendable (FinishedStill, String) async throws -> Asset,
        report: @escaping Report
    ) {
        let log = Logger(label: "photo")
        let (orders, orderContinuation) = AsyncStream.makeStream(of: Order.self)
        let (frames, frameContinuation) = AsyncStream.makeStream(of: Captured.self)
        let (stills, stillContinuation) = AsyncStream.makeStream(of: Finished.self)
        self.orders = orderContinuation
        capturing = Task {
            for await order in orders {
                do {
                    let frame = try await order.frame.claim.frame()
                    await report(.captured(order.shot))
                    frameContinuation.yield(Captured(order: order, frame: frame))
                } catch {
                    log.error("capture failed", metadata: ["reason": "\(error)"])
                    await report(.captureFailed(order.shot, reason: "\(error)"))
                }
            }
            frameContinuation.finish()
        }
        encoding = Task {
            for await captured in frames {
                do {
                    let still = try await processor.finish(
                        captured.frame, turned: captured.order.frame.rotation)
                    for warning in still.warnings {
                        log.warning("photo without", metadata: ["reason": "\(warning)"])
                    }
                    stillContinuation.yield(Finished(order: captured.order, still: still))
                } catch {
                    log.error("no picture", metadata: ["reason": "\(error)"])
                    await report(.saveFailed(captured.order.shot, reason: "\(error)"))
                }
            }
            stillContinuation.finish()
        }
        saving = Task { [sessions] in
            for await finished in stills {
                do {
                    let session = sessions.name(of: finished.order.session)
                    let asset = try await save(finished.still, session)
                    let saved = SavedPhoto(
                        assetID: asset.id.uuidString, fileName: asset.fileName,
                        thumbnail: finished.still.thumbnail)
                    await report(.saved(finished.order.shot, saved))
                } catch {
                    log.error("save failed", metadata: ["reason": "\(error)"])
                    await report(.saveFailed(finished.order.shot, reason: "\(error)"))
                }
            }
        }
    }

    func take(_ order: Order) { orders.yield(order) }

    /// Returns when every ordered shot has ended.
    func finish() async {
        orders.finish()
        await capturing.value
        await encoding.value
        await saving.value
    }
}

/// Names for the kiosk's sessions that no other kiosk and no other start gives again.
final class SessionNames: Sendable {
    private let newest = Mutex<(number: SessionNumber, name: String)?>(nil)

    /// Of the last session, or of a new one.
    func name(of number: SessionNumber) -> String {
        newest.withLock { newest in
            if let newest, newest.number == number { return newest.name }
            let name = UUID().uuidString.lowercased()
            newest = (number, name)
            return name
        }
    }

    /// `nil` for a session of which no photo has been named yet.
    func known(_ number: SessionNumber) -> String? {
        newest.withLock { newest in newest?.number == number ? newest?.name : nil }
    }
}
