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

    private let library: LibrarySupervisor
    private let settings: MovieSettings
    private let configuration: MovieRecorder.Configuration
    private let sessions: SessionNames
    private let pending: PendingShots

    /// Makes nothing before ``run()``. `report` tells the kiosk, and is called in order.
    package init(
        _ reserver: FrameReserver, _ library: LibrarySupervisor, _ settings: MovieSettings,
        _ configuration: MovieRecorder.Configuration, _ sessions: SessionNames,
        report: @escaping Photographer.Report
    ) {
        self.library = library
        self.settings = settings
        self.configuration = configuration
        self.sessions = sessions
        pending = PendingShots(reserver, log: Logger(label: "loop"), report: report)
    }

    /// Takes a loop after those ordered before, exposed after its light came on, if any. Any
    /// thread.
    package func take(_ order: CaptureOrder, exposedAfter: Int64?) {
        pending.add(order, exposedAfter: exposedAfter)
    }

    /// Abandons a loop, as ``Photographer/abandon(_:)`` does; ignores other shots.
    package func abandon(_ shot: ShotIdentifier) { pending.abandon(shot) }

    /// Accepts no more orders; ``run()`` ends after the earlier ones.
    package func finish() { pending.finish() }

    /// Makes loops until ``finish()``, and returns once each has ended.
    package func run() async {
        for await shot in pending.orders {
            if case .burst(let claim) = shot.frames.claim { await make(shot, claim) }
        }
    }

    private func make(_ shot: ClaimedShot, _ claim: BurstClaim) async {
        var frames: [CapturedFrame] = []
        for await frame in claim.frames { frames.append(frame) }
        guard frames.count > 1 else {
            return await pending.fail(
                shot.id, "capture failed", "the camera delivers no frames",
                KioskEvent.captureFailed)
        }
        await pending.report(.captured(shot.id))
        guard pending.contains(shot.id) else { return }
        var note = NewRecording(
            at: claim.moment, configuration, session: sessions.name(of: shot.session))
        note.mediaSubtypes = .loop
        do {
            let path = try await library.beginRecording(note)
            let order = configuration.order(
                note, path, at: claim.moment, await shot.frames.rotation)
            let movie = try await record(frames, order)
            let asset = try await library.finishRecording(note.finished(movie))
            let saved = SavedPhoto(
                assetID: asset.id.uuidString, fileName: asset.fileName,
                thumbnail: movie.thumbnail)
            _ = pending.end(shot.id)
            await pending.report(.saved(shot.id, saved))
        } catch {
            try? await library.abandonRecording(note.id)
            await pending.fail(shot.id, "save failed", "\(error)", KioskEvent.saveFailed)
        }
    }

    private func record(
        _ frames: [CapturedFrame], _ order: MovieOrder
    ) async throws -> FinishedMovie {
        // A clock that jumps may put any time between two frames.
        let times = frames.map(\.info.timestamp)
        let interval = max((times[times.count - 1] - times[0]) / Int64(times.count - 1), 1_000_000)
        let movie = FrameMovie(order, settings, frameInterval: interval)
        if try await movie.appendLoop(frames, rounds: Self.rounds) != nil {
            throw MovieError(.storage, "there is not enough room for a loop")
        }
        return try await movie.finish(.requested)
    }
}
