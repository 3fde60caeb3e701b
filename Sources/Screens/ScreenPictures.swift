// SPDX-License-Identifier: GPL-3.0-or-later

package import Display
package import Drawing
internal import Kiosk
internal import Logging
package import Media

/// The pictures of the configuration: one that a display shows while the kiosk starts, from its
/// first commit on, and one behind the texts that fill it.
package struct ScreenPictures: Sendable {
    private let files: Files
    private let log = Logger(label: "screen")

    /// The paths of PNG or JPEG files.
    package struct Files: Sendable {
        /// The splash picture; `nil` for Vitrine's own.
        package var splash: String?
        /// A splash picture that replaces it once it has come from the web; `nil` for none.
        package var fetchedSplash: String?
        /// The picture behind texts, once it has come from the web; `nil` for none.
        package var fetchedBackground: String?

        package init() {}
    }

    package init(_ files: Files) { self.files = files }

    /// The splash picture; `nil` for Vitrine's own, also if no file can be read.
    private func splashCanvas(for screen: Dimensions) -> Canvas? {
        let fetched = files.fetchedSplash.map(PictureFile.init).flatMap {
            $0.entry == nil ? nil : $0
        }
        for file in [fetched, files.splash.map(PictureFile.init)].compactMap(\.self) {
            do {
                return try file.canvas(covering: screen)
            } catch {
                log.error(
                    "no splash picture",
                    metadata: [
                        "reason": "\(error)", "next": "see display.splash and [[content]]",
                    ])
            }
        }
        return nil
    }

    /// Returns a renderer that uses the pictures.
    package func renderer(
        for screen: Dimensions, reviewGravity: Gravity = .resizeAspect
    ) throws(CanvasError) -> SceneRenderer {
        try SceneRenderer(
            screen, reviewGravity: reviewGravity, splash: splashCanvas(for: screen),
            background: background(for: screen))
    }

    private func background(for screen: Dimensions) -> BackgroundPicture? {
        files.fetchedBackground.map { [log] path in
            BackgroundPicture(PictureFile(path: path), for: screen) { error in
                log.error(
                    "no background picture",
                    metadata: ["reason": "\(error)", "next": "see [[content]]"])
            }
        }
    }

    /// Draws the splash picture for a screen of this size; `nil` if that fails. The picture has no
    /// words, because finding fonts would delay the screen.
    package func splashPicture(for size: Dimensions) -> OverlayPicture? {
        guard let renderer = try? SceneRenderer(size, splash: splashCanvas(for: size)) else {
            return nil
        }
        return renderer.render(Scene(.black, message: ""))?.overlay
    }
}
