// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Kiosk
internal import Library
internal import Logging
internal import Media
internal import Recording

/// Makes movies of loops, one after the other: frames that are shown forward and backward. A shot is captured when its last
/// frame is held; what fails after that is a loop that could not be saved.
package final class LoopRecorder: Sendable {
    /// How often it is shown in its movie, forward and backward.
    package static let rounds = 3

    private let orders: AsyncStream<Photographer.Order>.Continuation
    private let ledger: ShotLedger
    private let recording: Task<Void, Never>

    init(
        _ library: LibraryKeeper, _ settings: MovieSettings,
        _ configuration: MovieRecorder.Configuration, _ sessions: SessionNames,
        report: @escaping Photographer.Report
    ) {
        let ledger = ShotLedger(
            wanted: WantedShots(), log: Logger(label: "loop"), report: report)
        let (orders, continuation) = AsyncStream.makeStream(of: Photographer.Order.self)
        self.orders = continuation
        self.ledger = ledger
        let maker = LoopMaker(
            library: library, settings: settings, configuration: configuration,
            sessions: sessions, ledger: ledger)
        recording = Task {
            for await order in orders {
                guard case .burst(let held) = order.frames else { continue }
                await maker.make(order, held, rounds: Self.rounds)
            }
        }
    }

    func take(_ order: Photographer.Order) {
        ledger.wanted.begin(order)
        orders.yield(order)
    }

    /// As ``Photographer/abandon(_:)``; of other shots nothing happens.
    func abandon(_ shot: ShotIdentifier) { ledger.wanted.abandon(shot)?.abandon() }

    /// Takes no more orders; returns when those that it has have ended.
    func finish() async {
        orders.finish()
        await recording.value
    }
}

private struct LoopMaker: Sendable {
    let library: LibraryKeeper
    let settings: MovieSettings
    let configuration: MovieRecorder.Configuration
    let sessions: SessionNames
    let ledger: ShotLedger

    func make(_ order: Photographer.Order, _ held: HeldBurst, rounds: Int) async {
        var frames: [CapturedFrame] = []
        for await frame in held.claim.frames { frames.append(frame) }
        guard frames.count > 1 else {
            return await ledger.fail(
                order.shot, "capture failed", "the camera delivers no frames"
            ) { .captureFailed(order.shot, reason: $0) }
        }
        await ledger.report(.captured(order.shot))
        guard ledger.wanted.contains(order.shot) else { return }
        var note = NewRecording(
            at: held.claim.moment, configuration, session: sessions.name(of: order.session))
        note.mediaSubtypes = .loop
        do {
            let path = try await library.beginRecording(note)
            let movie = try await record(frames, note, path, held, rounds: rounds)
            let asset = try await library.finishRecording(note.finished(movie))
            let saved = SavedPhoto(
                assetID: asset.id.uuidString, fileName: asset.fileName,
                thumbnail: movie.thumbnail)
            _ = ledger.wanted.end(order.shot)
            await ledger.report(.saved(order.shot, saved))
        } catch {
            try? await library.abandonRecording(note.id)
            await ledger.fail(order.shot, "save failed", "\(error)") {
                .saveFailed(order.shot, reason: $0)
            }
        }
    }

    private func record(
        _ frames: [CapturedFrame], _ note: NewRecording, _ path: String, _ held: HeldBurst,
        rounds: Int
    ) async throws -> FinishedMovie {
        let order = configuration.order(note, path, at: held.claim.moment, await held.rotation)
        // Of a clock that leaps two frames may be anything apart.
        let times = frames.map(\.info.timestamp)
        let interval = max((times[times.count - 1] - times[0]) / Int64(times.count - 1), 1_000_000)
        let movie = FrameMovie(order, settings, frameInterval: interval)
        if try await movie.appendLoop(frames, rounds: rounds) != nil {
            throw MovieError(.storage, "there is not enough room for a loop")
        }
        return try await movie.finish(.requested)
    }
}
