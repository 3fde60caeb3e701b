// SPDX-License-Identifier: GPL-3.0-or-later

/// The layout of video on a screen, for any size.
public struct VideoLayout: Sendable, Hashable {
    /// The fit of frames whose shape differs from the screen's; `nil` for the screen's own.
    public var gravity: Gravity?
    /// The turn, and then mirroring, that makes frames upright for the viewer.
    public var orientation: ExifOrientation
    /// The width of a pixel of the stored frames, relative to its height.
    public var pixelAspectRatio: Double

    /// Creates a layout; nothing is checked.
    public init(
        gravity: Gravity? = nil, orientation: ExifOrientation = .upright,
        pixelAspectRatio: Double = 1
    ) {
        self.gravity = gravity
        self.orientation = orientation
        self.pixelAspectRatio = pixelAspectRatio
    }
}
