// SPDX-License-Identifier: GPL-3.0-or-later

package import Display
internal import Drawing
package import Imaging
package import Kiosk
internal import LinuxIO
internal import Logging
package import Media
internal import Synchronization

/// Draws the kiosk's scenes on a thread of its own and puts them over the video.
package actor OverlayPresenter: DisplayContent {
    private static let executor = ThreadExecutor("drawing")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    private let screen: Screen
    private let gravity: Gravity
    private let pictures: ScreenPictures
    /// Whether photos are shown after they were taken.
    package nonisolated let showsReviews: Bool
    private let log = Logger(label: "screen")
    /// The things to draw, and the news that they have changed.
    private nonisolated let wanted = Mutex(Wanted())
    private nonisolated let changes: AsyncStream<Void>
    private nonisolated let changed: AsyncStream<Void>.Continuation
    private var size: Dimensions?
    private var renderer: SceneRenderer?
    /// The newest few pictures that scenes name.
    private var kept: [(name: String, picture: StillPicture)] = []

    private struct Wanted {
        var scene = Scene(.black, message: "")
        /// The texts over a video.
        var subtitles: PlacedPicture?
        /// The one who has shown them.
        var owner: ObjectIdentifier?
    }

    package init(screen: Screen, gravity: Gravity, pictures: ScreenPictures, showsReviews: Bool) {
        self.screen = screen
        self.gravity = gravity
        self.pictures = pictures
        self.showsReviews = showsReviews
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Draws what is wanted, again and again, until the task is cancelled.
    package func run() async {
        for await _ in changes { draw() }
    }

    /// Shows a scene soon. Any thread.
    package nonisolated func show(_ scene: Scene) {
        wanted.withLock { $0.scene = scene }
        changed.yield()
    }

    /// Shows the texts of a video soon, or none instead of the owner's. Any thread.
    package nonisolated func show(subtitles: PlacedPicture?, of owner: ObjectIdentifier) {
        wanted.withLock { wanted in
            if subtitles == nil, wanted.owner != owner { return }
            (wanted.subtitles, wanted.owner) = (subtitles, owner)
        }
        changed.yield()
    }

    /// The size that pictures of reviews have to cover; `nil` without a display.
    package var reviewSize: Dimensions? { size }

    /// Keeps a picture for scenes that will name it, and a few before it.
    package func keep(_ picture: StillPicture, for name: String) {
        kept.append((name, picture))
        if kept.count > 3 { kept.removeFirst() }
    }

    package func displayAppeared(_ size: Dimensions) {
        self.size = size
        renderer = nil
        draw()
    }

    package nonisolated func displayDisappeared() {}

    package nonisolated func videoChanged(isShown: Bool) {}

    private func draw() {
        guard let size else { return }
        do {
            let former = renderer
            let renderer =
                try former ?? pictures.renderer(for: size, reviewGravity: gravity)
            self.renderer = renderer
            screen.setOverlay(overlay(renderer))
            if former == nil { renderer.findFonts() }
        } catch {
            log.error("cannot draw", metadata: ["reason": "\(error)"])
        }
    }

    private func overlay(_ renderer: SceneRenderer) -> OverlayPicture? {
        let (scene, subtitles) = wanted.withLock { ($0.scene, $0.subtitles) }
        let photo = picture(scene.review?.assetID ?? scene.viewing?.picture)
        let filmstrip = picture(scene.viewing?.filmstrip)
        return unsafe photo.withPixels { photo in
            unsafe filmstrip.withPixels { filmstrip in
                unsafe renderer.render(
                    scene, picture: photo, filmstrip: filmstrip, subtitles: subtitles)?.overlay
            }
        }
    }

    private func picture(_ name: String?) -> StillPicture? {
        kept.last { $0.name == name }?.picture
    }
}

extension StillPicture? {
    /// Calls `body` with the pixels; with `nil` if there is no picture.
    fileprivate func withPixels<Result>(_ body: (PixelAccess?) -> Result) -> Result {
        guard let self else { return unsafe body(nil) }
        return unsafe self.withPixels { unsafe body($0) }
    }
}

extension Canvas {
    /// A copy of the canvas that lies over the video.
    var overlay: OverlayPicture { unsafe withPixels { unsafe OverlayPicture(copying: $0) } }
}
