// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import Media

/// Composes camera frames at the screen's size, compressed ones decoded into working memory first.
final class FrameComposer {
    private let compositor = Compositor()
    private let placement: LayerPlacement
    private let decoder: JPEGDecoder?
    private let scale: JPEGScale
    private var decoded: PixelStorage?

    /// - Parameter scale: of compressed frames, to whose decoded pictures `placement` refers.
    init(_ placement: LayerPlacement, _ header: JPEGHeader?, _ scale: JPEGScale) throws {
        self.placement = placement
        self.scale = scale
        guard let header else {
            decoder = nil
            return
        }
        decoder = try JPEGDecoder()
        decoded = try PixelStorage(
            header.planarFormat ?? .xrgb, scale.apply(to: header.dimensions), color: .jpeg)
    }

    func compose(
        _ source: PixelAccess, into target: PixelAccess, _ overlay: OverlayPicture?
    ) throws {
        guard let decoder else {
            try unsafe blend(source, overlay, into: target)
            return
        }
        try unsafe decoded?.withMutablePixels { picture throws(ImagingError) in
            _ = try unsafe decoder.decode(source, into: picture, scale: scale)
        }
        try unsafe decoded?.withPixels { try unsafe blend($0, overlay, into: target) }
    }

    private func blend(
        _ video: PixelAccess, _ overlay: OverlayPicture?, into target: PixelAccess
    ) throws {
        guard let overlay else {
            try unsafe compositor.render((video, placement), into: target)
            return
        }
        try unsafe overlay.withPixels { above in
            try unsafe compositor.render((video, placement), overlay: above, into: target)
        }
    }
}
