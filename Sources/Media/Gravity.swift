// SPDX-License-Identifier: GPL-3.0-or-later

/// The fit of a picture to a screen of another shape (AVLayerVideoGravity's counterpart).
public enum Gravity: String, Sendable, CaseIterable {
    /// Shows the whole picture, with bars on the rest of the screen.
    case resizeAspect
    /// Fills the whole screen and cuts off the picture's edges.
    case resizeAspectFill
    /// Fills the whole screen with the whole picture, distorted.
    case resize

    /// Returns the part of the picture that is shown, and its place on the screen. Source edges are
    /// even, because chroma is subsampled. Target edges are exact.
    public func place(
        _ picture: Dimensions, on screen: Dimensions
    ) -> (source: PixelRect, target: PixelRect) {
        let whole = (PixelRect(picture), PixelRect(screen))
        let pictureIsWider = picture.width * screen.height > screen.width * picture.height
        let sameShape = picture.width * screen.height == screen.width * picture.height
        if self == .resize || sameShape { return whole }
        switch self {
        case .resize:
            return whole
        case .resizeAspect:
            var target = PixelRect(screen)
            if pictureIsWider {
                target.height = max(1, screen.width * picture.height / picture.width)
                target.y = (screen.height - target.height) / 2
            } else {
                target.width = max(1, screen.height * picture.width / picture.height)
                target.x = (screen.width - target.width) / 2
            }
            return (PixelRect(picture), target)
        case .resizeAspectFill:
            var source = PixelRect(picture)
            if pictureIsWider {
                source.width = max(2, picture.height * screen.width / screen.height & ~1)
                source.x = (picture.width - source.width) / 2 & ~1
            } else {
                source.height = max(2, picture.width * screen.height / screen.width & ~1)
                source.y = (picture.height - source.height) / 2 & ~1
            }
            return (source, PixelRect(screen))
        }
    }
}
