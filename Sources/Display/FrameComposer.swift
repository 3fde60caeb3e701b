// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import Media

/// Composes camera frames at the screen's size; first decodes compressed ones into working memory.
final class FrameComposer {
    private let compositor = Compositor()
    private let placement: LayerPlacement
    private let decoder: JPEGDecoder?
    private let scale: JPEGScale
    private var decoded: PixelStorage?
    /// The composed picture before it is turned for the target; `nil` if it needs no turn.
    private var upright: PixelStorage?
    private let rotation: Rotation

    /// Frames of a compressed stream are decoded at `scale`; `placement` refers to the decoded
    /// pictures. `screen` is the size of the composed picture, before it is turned for the target.
    init(
        _ placement: LayerPlacement, _ header: JPEGHeader?, _ scale: JPEGScale,
        _ screen: Dimensions, _ rotation: Rotation
    ) throws {
        self.placement = placement
        self.scale = scale
        self.rotation = rotation
        upright = rotation == .none ? nil : try PixelStorage(.xrgb, screen, color: .jpeg)
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
        guard upright != nil else { return try unsafe draw(source, into: target, overlay) }
        var picture = upright.take()
        defer { upright = picture.take() }
        try unsafe picture?.withMutablePixels { try unsafe draw(source, into: $0, overlay) }
        try unsafe picture?.withPixels { try unsafe $0.write(turned: rotation, into: target) }
    }

    private func draw(
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
