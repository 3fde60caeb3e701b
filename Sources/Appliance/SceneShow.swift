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
    private let log = Logger(label: "screen")
    private var size: Dimensions?
    private var renderer: SceneRenderer?
    private var scene = Scene(.black)
    /// The photos that a review may show, the newest few.
    private var reviews: [(assetID: String, picture: StillPicture)] = []

    init(screen: Screen, gravity: Gravity) {
        self.screen = screen
        self.gravity = gravity
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
            let renderer = try renderer ?? SceneRenderer(size, reviewGravity: gravity)
            self.renderer = renderer
            screen.setOverlay(try overlay(renderer))
        } catch {
            log.error("cannot draw", metadata: ["reason": "\(error)"])
        }
    }

    private func overlay(_ renderer: SceneRenderer) throws -> OverlayPicture? {
        let wanted = scene.review?.assetID
        let picture = reviews.last { $0.assetID == wanted }?.picture
        let canvas =
            if let picture {
                unsafe picture.withPixels { unsafe renderer.render(scene, review: $0) }
            } else {
                renderer.render(scene)
            }
        guard let canvas else { return nil }
        return unsafe canvas.withPixels { unsafe OverlayPicture(copying: $0) }
    }
}
