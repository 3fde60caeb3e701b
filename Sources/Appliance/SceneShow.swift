// SPDX-License-Identifier: GPL-3.0-or-later

internal import Display
internal import Drawing
internal import Imaging
internal import Kiosk
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording
internal import Screens

/// Draws scenes on a thread of its own and lays them over the video.
actor SceneShow {
    private static let executor = ThreadExecutor("drawing")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    private let screen: Screen
    private let gravity: Gravity
    private let splash: SplashPicture
    private let log = Logger(label: "screen")
    private var size: Dimensions?
    private var renderer: SceneRenderer?
    private var scene = Scene(.black, message: "")
    /// The photos that a review may show, the newest few.
    private var reviews: [(assetID: String, picture: StillPicture)] = []

    init(screen: Screen, gravity: Gravity, splash: SplashPicture) {
        self.screen = screen
        self.gravity = gravity
        self.splash = splash
    }

    /// The screen is there, or has another size.
    func resize(_ size: Dimensions) {
        self.size = size
        renderer = nil
        draw()
    }

    func show(_ scene: Scene) {
        self.scene = scene
        draw()
    }

    /// Keeps a photo's picture for its review.
    func keep(_ picture: StillPicture, for assetID: String) {
        reviews.append((assetID, picture))
        if reviews.count > 3 { reviews.removeFirst() }
    }

    private func draw() {
        guard let size else { return }
        do {
            let former = renderer
            let renderer =
                try former
                ?? SceneRenderer(size, reviewGravity: gravity, splash: splash.canvas())
            self.renderer = renderer
            screen.setOverlay(overlay(renderer))
            if former == nil { renderer.findFonts() }
        } catch {
            log.error("cannot draw", metadata: ["reason": "\(error)"])
        }
    }

    private func overlay(_ renderer: SceneRenderer) -> OverlayPicture? {
        let wanted = scene.review?.assetID
        guard let picture = reviews.last(where: { $0.assetID == wanted })?.picture else {
            return renderer.render(scene)?.overlay
        }
        return unsafe picture.withPixels { pixels in
            unsafe renderer.render(scene, review: pixels)?.overlay
        }
    }
}

extension Canvas {
    /// A copy to lie over the video.
    var overlay: OverlayPicture { unsafe withPixels { unsafe OverlayPicture(copying: $0) } }
}
