// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A picture for a part of a screen.
public struct PlacedPicture: Sendable {
    /// Premultiplied ARGB8888, as large as ``place``.
    public let picture: StillPicture
    /// The part of the screen.
    public let place: PixelRect
    /// The size of the screen that it was made for.
    public let screen: Dimensions

    /// Nothing is checked.
    public init(_ picture: StillPicture, at place: PixelRect, of screen: Dimensions) {
        (self.picture, self.place, self.screen) = (picture, place, screen)
    }
}
