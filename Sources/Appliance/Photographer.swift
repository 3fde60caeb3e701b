// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import Kiosk
package import Library
internal import LinuxIO
internal import Logging
package import Recording
internal import Synchronization

/// Takes ordered shots from frame to durable photo, in the order of the presses: one is encoded while
/// the one before it is being saved. A shot is captured when its frame is held; what fails after that is
/// a photo that could not be saved. One that is abandoned goes no further than the step that it is in.
package final class Photographer: Sendable {
    package struct Order: Sendable {
        package let shot: ShotIdentifier
        let session: SessionNumber
        let frame: HeldFrame

        package init(shot: ShotIdentifier, session: SessionNumber, frame: HeldFrame) {
            self.shot = shot
            self.session = session
            self.frame = frame
        }
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
    package typealias Report = @Sendable (KioskEvent) async -> Void

    let sessions = SessionNames()
    private let log: Logger
    private let wanted: WantedShots
    private let saved = NewestAssets()
    private let orders: AsyncStream<Order>.Continuation
    private let capturing: Task<Void, Never>
    private let encoding: Task<Void, Never>
    private let saving: Task<Void, Never>

    /// - Parameters:
    ///   - save: makes a still durable; the text names the guest's session.
    package init(
        processor: PhotoProcessor,
        save: @escaping @Sendable (FinishedStill, String) async throws -> Asset,
        report: @escaping Report
    ) {
        let log = Logger(label: "photo")
        let wanted = WantedShots()
        self.log = log
        self.wanted = wanted
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
                    guard wanted.end(order.shot) else { continue }
                    log.error("capture failed", metadata: ["reason": "\(error)"])
                    await report(.captureFailed(order.shot, reason: "\(error)"))
                }
            }
            frameContinuation.finish()
        }
        encoding = Task {
            for await captured in frames where wanted.contains(captured.order.shot) {
                do {
                    let still = try await processor.finish(
                        captured.frame, turned: captured.order.frame.rotation)
                    for warning in still.warnings {
                        log.warning("photo without", metadata: ["reason": "\(warning)"])
                    }
                    stillContinuation.yield(Finished(order: captured.order, still: still))
                } catch {
                    guard wanted.end(captured.order.shot) else { continue }
                    log.error("no picture", metadata: ["reason": "\(error)"])
                    await report(.saveFailed(captured.order.shot, reason: "\(error)"))
                }
            }
            stillContinuation.finish()
        }
        saving = Task { [sessions, newest = self.saved] in
            for await finished in stills where wanted.contains(finished.order.shot) {
                do {
                    let session = sessions.name(of: finished.order.session)
                    let asset = try await save(finished.still, session)
                    newest.add(asset)
                    let saved = SavedPhoto(
                        assetID: asset.id.uuidString, fileName: asset.fileName,
                        thumbnail: finished.still.thumbnail)
                    if !wanted.end(finished.order.shot) {
                        log.notice("saved all the same", metadata: ["id": "\(saved.assetID)"])
                    }
                    await report(.saved(finished.order.shot, saved))
                } catch {
                    guard wanted.end(finished.order.shot) else { continue }
                    log.error("save failed", metadata: ["reason": "\(error)"])
                    await report(.saveFailed(finished.order.shot, reason: "\(error)"))
                }
            }
        }
    }

    package func take(_ order: Order) {
        wanted.begin(order)
        orders.yield(order)
    }

    /// What a shot was saved as, as it was then: of the newest few.
    func asset(savedAs id: String) -> Asset? { saved.asset(id) }

    /// Nobody waits for the shot any more: its frame is given up, and what has not begun to be saved is not
    /// saved. A save that is under way cannot be taken back.
    package func abandon(_ shot: ShotIdentifier) {
        guard let frame = wanted.abandon(shot) else { return }
        log.error("given up", metadata: ["shot": "\(shot.number)"])
        frame.abandon()
    }

    /// Takes no more orders; those that it has go on.
    package func stop() { orders.finish() }

    /// Returns when every ordered shot has ended.
    package func finish() async {
        stop()
        await capturing.value
        await encoding.value
        await saving.value
    }
}

/// The shots that somebody waits for, and their frames.
private final class WantedShots: Sendable {
    private let frames = Mutex<[ShotIdentifier: HeldFrame]>([:])

    func begin(_ order: Photographer.Order) {
        frames.withLock { $0[order.shot] = order.frame }
    }

    func contains(_ shot: ShotIdentifier) -> Bool { frames.withLock { $0[shot] != nil } }

    func abandon(_ shot: ShotIdentifier) -> HeldFrame? {
        frames.withLock { $0.removeValue(forKey: shot) }
    }

    /// Answers whether somebody still waited for it.
    func end(_ shot: ShotIdentifier) -> Bool { abandon(shot) != nil }
}

/// The assets that were saved last: whoever waits for one need not ask the library.
private final class NewestAssets: Sendable {
    private static let most = 8
    private let assets = Mutex<[Asset]>([])

    func add(_ asset: Asset) {
        assets.withLock { assets in
            assets.append(asset)
            if assets.count > Self.most { assets.removeFirst() }
        }
    }

    func asset(_ id: String) -> Asset? {
        assets.withLock { $0.last { $0.id.uuidString == id } }
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
