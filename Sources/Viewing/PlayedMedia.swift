// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Display
internal import Imaging
internal import Kiosk
internal import Library
internal import Media
internal import Playback
internal import Screens
internal import Synchronization

/// Media that a view plays, and their scrub bar. Any thread.
final class PlayedMedia: Sendable {
    let playback: OrderedPlayback
    private let presenter: OverlayPresenter
    /// The names of the pictures that the presenter has for it.
    private let pictures = Mutex<(filmstrip: String?, cover: String?)>((nil, nil))

    /// Plays nothing before ``run(place:_:)``.
    init(
        _ asset: MediaAsset, _ order: ViewOrder, _ parts: Viewer.Parts, title: String
    ) throws {
        presenter = parts.presenter
        playback = try OrderedPlayback(asset, order, parts.settings, title: title)
        try playback.show(
            on: parts.display.screen.playback, parts.gravity, KioskSubtitles(presenter))
    }

    convenience init(
        _ resource: AssetResource, _ order: ViewOrder, _ parts: Viewer.Parts
    ) throws {
        try self.init(
            MediaAsset(path: resource.path), order, parts,
            title: resource.asset.caption ?? resource.asset.fileName)
    }

    // MARK: playing

    /// How often the progress is reported, and after how many times what has not changed.
    private static let interval = Duration.milliseconds(200)
    private static let heartbeat = 15

    /// Plays to the end, and reports what is to be seen.
    /// - Throws: ``PlaybackError`` if the media cannot be played, or not to their end.
    func run(
        place: Scene.Viewing.Place? = nil,
        _ report: @escaping @Sendable (Scene.Viewing) async -> Void
    ) async throws {
        let telling = Task { await tell(place, report) }
        let (readiness, ready) = AsyncStream.makeStream(of: Bool.self)
        let looking = Task {
            for await hasPictures in readiness {
                if !hasPictures { await makeCover() }
                return await makeFilmstrip()
            }
        }
        defer {
            telling.cancel()
            looking.cancel()
        }
        try await playback.run { ready.yield($0) }
        if let face = face(place) { await report(face) }
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
        guard playback.isReady else { return nil }
        let status = playback.status
        let steps = Scene.Viewing.Progress.steps
        let step = status.duration.map { duration in
            duration > 0 ? min(Int(status.seconds / duration * Double(steps)), steps) : steps
        }
        let progress = Scene.Viewing.Progress(
            elapsed: Int(status.seconds), duration: status.duration.map { Int($0.rounded()) },
            step: step, isLive: status.duration == nil, isPaused: status.state == "paused")
        let (filmstrip, cover) = pictures.withLock { $0 }
        return Scene.Viewing(
            title: status.title, picture: playback.hasPictures ? nil : cover ?? "sound",
            filmstrip: filmstrip, place: place, progress: progress)
    }

    // MARK: pictures

    private func makeCover() async {
        // A URL is not opened twice.
        if playback.asset.isRemote { return }
        var options = ImageGenerator.Options()
        options.maximumSize = await presenter.reviewSize
        let generator = ImageGenerator(playback.asset, options)
        guard let cover = try? await generator.cover() else { return }
        let name = "cover of \(playback.asset.name)"
        await presenter.keep(cover, for: name)
        pictures.withLock { $0.cover = name }
    }

    private static let filmstripHeight = 96
    /// Shorter clips need no overview.
    private static let shortest = MediaTime(value: 2, timescale: 1)

    private func makeFilmstrip() async {
        let asset = playback.asset
        // An overview of a stream would read it twice.
        guard !asset.isRemote, let duration = try? await asset.load(.duration), duration.isNumeric,
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
        self.pictures.withLock { $0.filmstrip = name }
    }

    /// Leaves the display at once.
    func leave() { playback.leave() }
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
