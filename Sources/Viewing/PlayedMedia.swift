// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Display
internal import Imaging
internal import Kiosk
internal import Library
internal import LinuxIO
internal import Media
internal import Playback
internal import Screens
internal import Settings
internal import Synchronization

/// Media that are played on the display, with the kiosk's sound. Any thread.
final class PlayedMedia: Sendable {
    private let asset: MediaAsset
    private let order: ViewOrder
    private let player: QueuePlayer
    private let presenter: OverlayPresenter
    private let state: Mutex<State>

    private struct State {
        var title: String
        var looper: PlayerLooper?
        var isReady = false
        var filmstrip: String?
        var soundProblem: String?
    }

    /// Plays nothing before ``run(place:_:)``.
    init(
        _ asset: MediaAsset, _ order: ViewOrder, _ parts: Viewer.Parts, title: String
    ) throws {
        self.asset = asset
        self.order = order
        presenter = parts.presenter
        state = Mutex(State(title: title))
        player = try QueuePlayer(items: [], sound: ALSAOutput.opener(parts.settings.sound))
        player.volume = Double(parts.settings.volumePercent) / 100
        player.layer = try PlayerLayer(
            target: parts.display.screen.playback, gravity: parts.gravity)
        let range = MediaTimeRange(start: order.start, duration: .positiveInfinity)
        let item = PlayerItem(asset, playing: range)
        item.preferredLanguages = parts.settings.languages.split(separator: " ").map(String.init)
        if order.loops {
            let looper = PlayerLooper(player, template: item)
            state.withLock { $0.looper = looper }
        } else {
            player.insert(item)
        }
    }

    convenience init(
        _ resource: AssetResource, _ order: ViewOrder, _ parts: Viewer.Parts
    ) throws {
        try self.init(
            MediaAsset(path: resource.path), order, parts,
            title: resource.asset.caption ?? resource.asset.fileName)
    }

    // MARK: playing

    /// How often the progress is reported, and what is silent for long.
    private static let interval = Duration.milliseconds(200)
    private static let heartbeat = 15

    /// Plays to the end, and reports what is to be seen.
    /// - Throws: ``PlaybackError`` if the media cannot be played, or not to their end.
    func run(
        place: Scene.Viewing.Place? = nil,
        _ report: @escaping @Sendable (Scene.Viewing) async -> Void
    ) async throws {
        let events = player.events()
        player.rate = order.rate
        let telling = Task { await tell(place, report) }
        let looking = Task { await makeFilmstrip() }
        defer {
            telling.cancel()
            looking.cancel()
        }
        try await follow(events)
        if let face = face(place) { await report(face) }
    }

    /// Returns at the end of the media.
    private func follow(_ events: AsyncStream<Player.Event>) async throws {
        for await event in events {
            switch event {
            case .readyToPlay:
                let title = try? await asset.load(.commonMetadata)["title"]
                state.withLock { state in
                    state.isReady = true
                    if let title, !title.isEmpty { state.title = title }
                }
            case .failed(_, let error): throw error
            case .soundFailed(let reason): state.withLock { $0.soundProblem = reason }
            case .didPlayToEnd where !order.loops: return
            default: break
            }
        }
    }

    /// Reports changes, and at least every few seconds that it is alive.
    private func tell(
        _ place: Scene.Viewing.Place?, _ report: @Sendable (Scene.Viewing) async -> Void
    ) async {
        var (told, silence) = (nil as Scene.Viewing?, 0)
        while !Task.isCancelled {
            silence += 1
            if let face = face(place), face != told || silence >= Self.heartbeat {
                (told, silence) = (face, 0)
                await report(face)
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func face(_ place: Scene.Viewing.Place?) -> Scene.Viewing? {
        let (title, filmstrip, isReady) = state.withLock { ($0.title, $0.filmstrip, $0.isReady) }
        guard isReady, let item = player.currentItem else { return nil }
        let duration = item.duration.isNumeric ? item.duration.seconds : nil
        let time = player.currentTime.isNumeric ? max(player.currentTime.seconds, 0) : 0
        let steps = Scene.Viewing.Progress.steps
        let progress = Scene.Viewing.Progress(
            elapsed: Int(time), duration: duration.map { Int($0.rounded()) },
            step: duration.map { $0 > 0 ? min(Int(time / $0 * Double(steps)), steps) : steps },
            isLive: duration == nil, isPaused: player.rate == 0)
        return Scene.Viewing(
            title: title, picture: item.presentationSize == nil ? "sound" : nil,
            filmstrip: filmstrip, place: place, progress: progress)
    }

    // MARK: the scrub bar

    private static let filmstripHeight = 96
    /// Shorter clips need no overview.
    private static let shortest = MediaTime(value: 2, timescale: 1)

    private func makeFilmstrip() async {
        guard let duration = try? await asset.load(.duration), duration.isNumeric,
            duration >= Self.shortest
        else { return }
        var options = ImageGenerator.Options()
        options.maximumSize = Dimensions(
            width: 4 * Self.filmstripHeight, height: Self.filmstripHeight)
        let generator = ImageGenerator(asset, options)
        var pictures: [StillPicture] = []
        for await (_, result) in await generator.filmstrip(
            count: Scene.Viewing.filmstripPictures)
        {
            guard case .success(let image) = result, !Task.isCancelled else { return }
            pictures.append(image.picture)
        }
        guard let row = StillPicture(row: pictures) else { return }
        let name = "filmstrip of \(asset.name)"
        await presenter.keep(row, for: name)
        state.withLock { $0.filmstrip = name }
    }

    // MARK: control

    func pause() { player.pause() }

    func resume() { player.rate = order.rate }

    func seek(to time: MediaTime) async -> Bool { await player.seek(to: time) }

    /// Leaves the display at once.
    func leave() {
        player.pause()
        player.layer = nil
        state.withLock { $0.looper = nil }
    }

    var status: PlayStatus {
        let (title, soundProblem) = state.withLock { ($0.title, $0.soundProblem) }
        let duration = player.currentItem?.duration ?? .indefinite
        // A pause counts from its command on.
        let isPlaying = player.timeControlStatus == .playing
        let word = player.rate == 0 ? "paused" : isPlaying ? "playing" : "waiting"
        return PlayStatus(
            state: word, title: title, seconds: max(player.currentTime.seconds, 0),
            duration: duration.isNumeric ? duration.seconds : nil, rate: player.rate,
            shown: player.statistics.picturesShown,
            late: player.statistics.picturesLate + player.statistics.picturesUnshown,
            soundProblem: soundProblem)
    }
}

extension StillPicture {
    /// Puts pictures of one size side by side; `nil` if their sizes differ or memory runs out.
    fileprivate convenience init?(row pictures: [StillPicture]) {
        guard let size = pictures.first?.description.dimensions,
            pictures.allSatisfy({ $0.description.dimensions == size }),
            var row = try? PixelStorage(
                .xrgb, Dimensions(width: size.width * pictures.count, height: size.height))
        else { return nil }
        let bytes = size.width * 4
        unsafe row.withMutablePixels { target in
            for (number, picture) in pictures.enumerated() {
                unsafe picture.withPixels { source in
                    for line in 0..<size.height {
                        let start = unsafe target.plane(0) + line * target.bytesPerRow(0)
                        let from = unsafe source.plane(0) + line * source.bytesPerRow(0)
                        let place = unsafe UnsafeMutableRawPointer(start + number * bytes)
                        unsafe place.copyMemory(from: from, byteCount: bytes)
                    }
                }
            }
        }
        self.init(row)
    }
}
