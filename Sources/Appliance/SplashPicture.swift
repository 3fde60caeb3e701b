// SPDX-License-Identifier: GPL-3.0-or-later

internal import Display
internal import Drawing
internal import Kiosk
internal import Logging
internal import Media
internal import Screens

/// What the screen shows while the kiosk starts, from the display's first commit on.
struct SplashPicture: Sendable {
    /// A PNG file; empty for Vitrine's own picture.
    let path: String

    /// The file's picture; `nil` for Vitrine's own, also when the file is none.
    func canvas() -> Canvas? {
        if path.isEmpty { return nil }
        do {
            return try Canvas(png: path)
        } catch {
            Logger(label: "screen").error(
                "no splash picture", metadata: ["reason": "\(error)", "next": "see display.splash"])
            return nil
        }
    }

    /// The picture for a screen of this size; `nil` when none can be drawn. Without words: looking for
    /// fonts would keep the screen waiting.
    func picture(for size: Dimensions) -> OverlayPicture? {
        guard let renderer = try? SceneRenderer(size, splash: canvas()) else { return nil }
        return renderer.render(Scene(.black, message: ""))?.overlay
    }
}
