// SPDX-License-Identifier: GPL-3.0-or-later

internal import Devices
internal import FoundationEssentials
package import Kiosk
internal import Library
package import LibraryService
internal import Logging
internal import Media
package import Recording
internal import VitrineKit

/// Makes movies of loops, one after the other: frames played forward and backward. A shot counts as
/// captured once its last frame is held; a later failure counts as a loop that could not be saved.
package final class LoopRecorder: Sendable {
    /// How often the movie plays the frames forward and backward.
    package static let rounds = 3

    private let orders: AsyncStream<Photographer.Order>.Continuation
    private let ledger: ShotLedger
    private let recording: Task<Void, Never>

    /// - Parameter report: tells the kiosk; called in order.
    package init(
        _ library: LibrarySupervisor, _ settings: MovieSettings,
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

    /// Takes a loop after those ordered before. Any thread.
    package func take(_ order: Photographer.Order) {
        ledger.wanted.begin(order)
        orders.yield(order)
    }

    /// Abandons a loop, as ``Photographer/abandon(_:)`` does; ignores other shots.
    package func abandon(_ shot: ShotIdentifier) { ledger.wanted.abandon(shot)?.abandon() }

    /// Accepts no more orders, and returns once the earlier ones have ended.
    package func finish() async {
        orders.finish()
        await recording.value
    }
}

private struct LoopMaker: Sendable {
    let library: LibrarySupervisor
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
        // A clock that jumps may put any time between two frames.
        let times = frames.map(\.info.timestamp)
        let interval = max((times[times.count - 1] - times[0]) / Int64(times.count - 1), 1_000_000)
        let movie = FrameMovie(order, settings, frameInterval: interval)
        if try await movie.appendLoop(frames, rounds: rounds) != nil {
            throw MovieError(.storage, "there is not enough room for a loop")
        }
        return try await movie.finish(.requested)
    }
}
