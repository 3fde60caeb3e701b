// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import Kiosk
internal import Library
internal import LibraryService
internal import Logging
internal import Media
internal import Screens
internal import Synchronization

/// A view of the photos and clips of a visit, one by one. The last one comes first.
final class VisitView: View, PlaybackView {
    /// The most photos and clips of one visit.
    private static let most = 1000

    private let id: ViewIdentifier
    /// The library's name of the visit; `nil` if nothing was taken in it.
    private let visit: String?
    private let parts: Viewer.Parts
    private let turns: AsyncStream<Int>
    private let turning: AsyncStream<Int>.Continuation
    private let state = Mutex(State())

    private struct State {
        var task: Task<Void, Never>?
        /// What plays, or lies under the present photo.
        var playing: PlayedMedia?
        var isEnded = false
    }

    init(_ id: ViewIdentifier, _ visit: String?, _ parts: Viewer.Parts) {
        (self.id, self.visit, self.parts) = (id, visit, parts)
        (turns, turning) = AsyncStream.makeStream(of: Int.self)
    }

    // MARK: View

    func begin() {
        let task = Task { await run() }
        state.withLock { $0.task = task }
    }

    func turn(by step: Int) { turning.yield(step) }

    func end() {
        let (task, playing) = state.withLock { state in
            state.isEnded = true
            return (state.task, state.playing.take())
        }
        playing?.leave()
        task?.cancel()
    }

    private func run() async {
        let found: [AssetResource]
        do {
            guard let visit else { return await parts.report(.viewEnded(id, .empty)) }
            let options = FetchOptions(filter: AssetFilter.sessionID == visit)
            found = try await parts.library.opened().resources(options, limit: Self.most)
        } catch {
            return await parts.report(.viewEnded(id, .failed(reason: "\(error)")))
        }
        if found.isEmpty { return await parts.report(.viewEnded(id, .empty)) }
        var index = found.count - 1
        var shown = show(found, index)
        for await step in turns {
            shown.cancel()
            index = ((index + step) % found.count + found.count) % found.count
            shown = show(found, index)
        }
        shown.cancel()
    }

    private func show(_ found: [AssetResource], _ index: Int) -> Task<Void, Never> {
        let place = Scene.Viewing.Place(number: index + 1, count: found.count)
        return Task {
            let resource = found[index]
            if resource.asset.mediaType == .video, !resource.asset.isRemoteOnly {
                do {
                    return try await play(resource, place)
                } catch {
                    if Task.isCancelled { return }
                    Logger(label: "view").error(
                        "a clip cannot be played", metadata: ["reason": "\(error)"])
                }
            }
            await show(resource.asset, place)
        }
    }

    private func play(_ resource: AssetResource, _ place: Scene.Viewing.Place) async throws {
        let media = try PlayedMedia(resource, .asset(resource.asset.id.text), parts)
        let (former, isEnded) = state.withLock { state in
            let former = state.playing
            if !state.isEnded { state.playing = media }
            return (former, state.isEnded)
        }
        if isEnded { return media.leave() }
        former?.leave()
        try await media.run(place: place) { await self.report($0) }
    }

    private func show(_ asset: Asset, _ place: Scene.Viewing.Place) async {
        // The media stay on the display, under the photo, lest the live picture be seen.
        playback?.pause()
        guard let size = await parts.display.connected?.size,
            let manager = try? await parts.pictures.manager()
        else { return }
        var face = Scene.Viewing(
            title: asset.caption ?? asset.fileName, picture: asset.id.text, place: place)
        for await delivery in manager.requestImage(for: asset, targetSize: size) {
            switch delivery {
            case .degraded(let picture), .final(let picture):
                if Task.isCancelled { return }
                // Another name makes the screen draw the better picture.
                let dimensions = picture.description.dimensions
                face.picture = "\(asset.id.text) \(dimensions)"
                await parts.presenter.keep(picture, for: face.picture ?? "")
                await report(face)
            case .progress: break
            case .remote, .failed: await report(face)
            }
        }
    }

    private func report(_ face: Scene.Viewing) async {
        if Task.isCancelled { return }
        await parts.report(.viewShows(id, face))
    }

    // MARK: PlaybackView

    var playback: OrderedPlayback? { state.withLock { $0.playing }?.playback }

    var idleStatus: PlayStatus {
        PlayStatus(
            state: "paused", title: "", seconds: 0, duration: nil, rate: 0, shown: 0, late: 0)
    }
}
