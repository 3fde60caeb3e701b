// SPDX-License-Identifier: GPL-3.0-or-later

package import Display
package import Drawing
internal import Kiosk
internal import Logging
package import Media

/// The picture that a display shows while the kiosk starts, from its first commit on.
package struct SplashPicture: Sendable {
    /// The path of a PNG file; empty for Vitrine's own picture.
    private let path: String

    package init(path: String) { self.path = path }

    /// The file's picture; `nil` for Vitrine's own, also if the file cannot be read.
    package func canvas() -> Canvas? {
        if path.isEmpty { return nil }
        do {
            return try Canvas(png: path)
        } catch {
            Logger(label: "screen").error(
                "no splash picture", metadata: ["reason": "\(error)", "next": "see display.splash"])
            return nil
        }
    }

    /// Draws the picture for a screen of this size; `nil` if that fails. The picture has no words,
    /// because finding fonts would delay the screen.
    package func picture(for size: Dimensions) -> OverlayPicture? {
        guard let renderer = try? SceneRenderer(size, splash: canvas()) else { return nil }
        return renderer.render(Scene(.black, message: ""))?.overlay
    }
}
