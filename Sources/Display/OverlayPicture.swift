// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import Media

/// A finished picture to show above the video: premultiplied ARGB8888, immutable.
@safe
public final class OverlayPicture: Sendable {
    /// The layout: ARGB8888, the copied picture's size, no row padding, full-range colours.
    public let description: FrameDescription
    // Written only by `init`, and freed with the object.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawPointer

    /// Copies `pixels`, which must be ARGB8888.
    @unsafe
    public init(copying pixels: PixelAccess) {
        let size = unsafe pixels.description.dimensions
        guard let tight = FrameDescription(.argb, size, color: .jpeg) else {
            preconditionFailure("ARGB8888 has a layout")
        }
        description = tight
        unsafe bytes = .allocate(byteCount: tight.bufferSizes[0], alignment: 64)
        let target = unsafe PixelAccess(tight, bytes)
        unsafe copyRows(pixels, target)
    }

    deinit { unsafe bytes.deallocate() }

    @unsafe
    func withPixels<Result, Failure: Error>(
        _ body: (PixelAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(PixelAccess(description, bytes))
    }
}

/// Copies pictures with one plane and equal format and size, whatever their row lengths.
private func copyRows(_ source: PixelAccess, _ target: PixelAccess) {
    let rows = unsafe source.description.planes[0].rows
    let (from, to) = unsafe (source.bytesPerRow(0), target.bytesPerRow(0))
    for row in 0..<rows {
        _ = unsafe memcpy(target.plane(0) + row * to, source.plane(0) + row * from, min(from, to))
    }
}
