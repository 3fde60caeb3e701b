// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import Media

extension ScreenLoop {
    /// Composes what a person sees, at the screen's size, as XRGB8888.
    func snapshot() throws -> StillPicture {
        guard let size = screenSize else {
            throw DisplayError(.noDisplay, "there is no display")
        }
        let compositor = Compositor()
        var picture = try PixelStorage(.xrgb, size, color: .jpeg)
        let overlay = overlayPicture.flatMap { $0.description.dimensions == size ? $0 : nil }
        unsafe try withShownVideo { video in
            try unsafe picture.withMutablePixels { target throws(ImagingError) in
                guard let overlay else {
                    return try unsafe compositor.render(video, into: target)
                }
                try unsafe overlay.withPixels { above throws(ImagingError) in
                    try unsafe compositor.render(video, overlay: above, into: target)
                }
            }
        }
        return StillPicture(picture)
    }
}

extension ScanoutImage {
    /// Runs `body` with the picture's pixels as a person sees them, mapped for reading. This is
    /// slow if the memory is write-combined.
    @unsafe
    func withUprightPixels<Result>(_ body: (PixelAccess) throws -> Result) throws -> Result {
        try unsafe buffers.withPixels(.read, description) { pixels in
            if rotation == .none { return try unsafe body(pixels) }
            var upright = try PixelStorage(
                .xrgb, rotation.inverse.apply(to: description.dimensions), color: .jpeg)
            try unsafe upright.withMutablePixels { target throws(ImagingError) in
                try unsafe pixels.write(turned: rotation.inverse, into: target)
            }
            return try unsafe upright.withPixels(body)
        }
    }
}
