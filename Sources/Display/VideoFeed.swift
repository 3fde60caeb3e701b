// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import Media

/// A frame that is too damaged to be shown.
struct DamagedFrame: Error {}

/// A compressed frame of another size than those before it.
struct ChangedFrame: Error {}

/// The way of one camera stream onto one display: which picture shows a frame.
final class VideoFeed {
    let frames: NewestFrame
    let path: PreviewPath
    /// Whether a frame's own memory is scanned out, so that its lease lasts as long as it is shown.
    let holdsFrames: Bool
    let placement: LayerPlacement
    /// Whether the overlay is blended into the picture because there is no plane for it.
    let blendsOverlay: Bool
    /// Bytes that the CPU writes for each frame.
    let bytesPerFrame: Int
    private let way: Way

    private enum Way {
        /// The camera's memory, one picture a slot.
        case scanOut([any ScanoutImage])
        /// The CPU writes each frame into one of the display's pictures.
        case render(FrameRenderer)
        /// Compressed frames, of which the first tells size and subsampling.
        case undecided(VideoLayout)

        var blendsOverlay: Bool {
            if case .render(let renderer) = self { renderer.blends } else { false }
        }
        var bytesPerFrame: Int {
            if case .render(let renderer) = self { renderer.bytesPerFrame } else { 0 }
        }
    }

    /// - Throws: when the display cannot show such frames in this way.
    init(
        _ pool: FramePool, _ frames: NewestFrame, _ rung: PreviewRung, _ device: any ScanoutDevice,
        _ layout: VideoLayout
    ) throws {
        self.frames = frames
        let description = pool.description
        if rung == .mapped {
            holdsFrames = false
            if description.pixelFormat.isCompressed {
                placement = .whole(device.size)
                path = .decoded
                way = .undecided(layout)
                (blendsOverlay, bytesPerFrame) = (way.blendsOverlay, way.bytesPerFrame)
                return
            }
            let renderer = try FrameRenderer(
                description, from: nil, on: device, layout, blends: !device.hasOverlay)
            path =
                renderer.format == description.pixelFormat && !renderer.composes
                ? .copied : .converted
            placement = renderer.placement
            way = .render(renderer)
            (blendsOverlay, bytesPerFrame) = (way.blendsOverlay, way.bytesPerFrame)
            return
        }
        guard device.hasOverlay else {
            throw DisplayError(.unsupported, "without an overlay plane the CPU must compose")
        }
        guard device.canScanOut(description.pixelFormat) else {
            throw DisplayError(
                .unsupported, "\(device.connectorName) cannot scan out \(description.pixelFormat)")
        }
        let images = try pool.slots.map { try device.importImage(description, $0.buffers) }
        placement = try device.placeVideo(images[0], layout)
        holdsFrames = true
        path = rung == .imported ? .imported : .exported
        way = .scanOut(images)
        (blendsOverlay, bytesPerFrame) = (way.blendsOverlay, way.bytesPerFrame)
    }

    /// The way of compressed frames like this one.
    ///
    /// - Throws: ``DamagedFrame`` when it makes no picture; else when the display cannot show it.
    func decided(by lease: borrowing FrameLease, _ device: any ScanoutDevice) throws -> VideoFeed {
        guard case .undecided(let layout) = way else { return self }
        let header = try unsafe lease.withPixels { pixels in
            do {
                return try unsafe JPEGDecoder().header(of: pixels)
            } catch {
                throw DamagedFrame()
            }
        }
        let renderer = try FrameRenderer(
            lease.description, from: header, on: device, layout, blends: !device.hasOverlay)
        return VideoFeed(frames, path, renderer.placement, .render(renderer))
    }

    /// The same stream, whose next frame decides anew how frames are shown.
    var undecided: VideoFeed {
        guard case .render(let renderer) = way else { return self }
        return VideoFeed(frames, path, placement, .undecided(renderer.layout))
    }

    private init(
        _ frames: NewestFrame, _ path: PreviewPath, _ placement: LayerPlacement, _ way: Way
    ) {
        self.frames = frames
        self.path = path
        holdsFrames = false
        self.placement = placement
        self.way = way
        (blendsOverlay, bytesPerFrame) = (way.blendsOverlay, way.bytesPerFrame)
    }

    /// Whether its first frame must tell how frames are shown: see ``decided(by:_:)``.
    var isUndecided: Bool { if case .undecided = way { true } else { false } }

    /// The picture of a frame that is scanned out as it is; ``holdsFrames``.
    func image(of lease: borrowing FrameLease) -> any ScanoutImage {
        guard case .scanOut(let images) = way else {
            preconditionFailure("frames that the CPU must write")
        }
        return images[lease.index]
    }

    /// The picture that shows this frame. The way is decided.
    ///
    /// - Parameter shown: what is on screen and must not be written to.
    /// - Throws: ``DamagedFrame`` when the frame makes no picture, ``ChangedFrame`` when the way must
    ///   be decided anew.
    func image(
        for lease: borrowing FrameLease, avoiding shown: (any ScanoutImage)?,
        blending overlay: @autoclosure () -> OverlayPicture?
    ) throws -> any ScanoutImage {
        switch way {
        case .scanOut:
            return image(of: lease)
        case .render(let renderer):
            return try renderer.render(lease, avoiding: shown, overlay())
        case .undecided:
            preconditionFailure("frames that nobody knows how to show")
        }
    }
}

extension LayerPlacement {
    static func whole(_ size: Dimensions) -> LayerPlacement {
        LayerPlacement(source: PixelRect(size), target: PixelRect(size))
    }
}
