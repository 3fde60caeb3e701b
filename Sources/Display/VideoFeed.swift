// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import Media

/// A frame that is too damaged to be shown.
struct DamagedFrame: Error {}

/// A compressed frame of another size than those before it.
struct ChangedFrame: Error {}

/// The path of one camera stream to one display, which finds the picture for each frame.
final class VideoFeed {
    let frames: FrameHandoff
    let path: PreviewPath
    /// Whether the camera's memory is scanned out, so that a lease lasts while its frame is shown.
    let holdsFrames: Bool
    let placement: LayerPlacement
    /// Whether the overlay is blended into the picture because there is no plane for it.
    let blendsOverlay: Bool
    /// Bytes that the CPU writes per frame.
    let bytesPerFrame: Int
    private let mode: Mode

    private enum Mode {
        /// The camera's memory, one picture per slot.
        case scanOut([any ScanoutImage])
        /// The CPU writes each frame into one of the display's pictures.
        case render(FrameRenderer)
        /// Compressed frames, the first of which tells size and subsampling.
        case undecided(VideoLayout)

        var blendsOverlay: Bool {
            if case .render(let renderer) = self { renderer.blends } else { false }
        }
        var bytesPerFrame: Int {
            if case .render(let renderer) = self { renderer.bytesPerFrame } else { 0 }
        }
    }

    /// Prepares the display for a stream. Throws if it cannot show such frames from this memory.
    init(
        _ pool: FramePool, _ frames: FrameHandoff, _ memoryPath: PreviewMemoryPath,
        _ device: any ScanoutDevice,
        _ layout: VideoLayout
    ) throws {
        self.frames = frames
        let description = pool.description
        if memoryPath == .mapped {
            holdsFrames = false
            if description.pixelFormat.isCompressed {
                placement = .whole(device.size)
                path = .decoded
                mode = .undecided(layout)
                (blendsOverlay, bytesPerFrame) = (mode.blendsOverlay, mode.bytesPerFrame)
                return
            }
            let renderer = try FrameRenderer(
                description, from: nil, on: device, layout, blends: !device.hasOverlay)
            path =
                renderer.format == description.pixelFormat && !renderer.composes
                ? .copied : .converted
            placement = renderer.placement
            mode = .render(renderer)
            (blendsOverlay, bytesPerFrame) = (mode.blendsOverlay, mode.bytesPerFrame)
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
        path = memoryPath == .imported ? .imported : .exported
        mode = .scanOut(images)
        (blendsOverlay, bytesPerFrame) = (mode.blendsOverlay, mode.bytesPerFrame)
    }

    /// Returns the feed for compressed frames like this one. Throws ``DamagedFrame`` if the frame
    /// has no valid header; otherwise the reason why the display cannot show it.
    func decided(by lease: borrowing FrameLease, _ device: any ScanoutDevice) throws -> VideoFeed {
        guard case .undecided(let layout) = mode else { return self }
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

    /// A feed of the same stream, whose next frame decides anew how frames are shown.
    var undecided: VideoFeed {
        guard case .render(let renderer) = mode else { return self }
        return VideoFeed(frames, path, placement, .undecided(renderer.layout))
    }

    private init(
        _ frames: FrameHandoff, _ path: PreviewPath, _ placement: LayerPlacement, _ mode: Mode
    ) {
        self.frames = frames
        self.path = path
        holdsFrames = false
        self.placement = placement
        self.mode = mode
        (blendsOverlay, bytesPerFrame) = (mode.blendsOverlay, mode.bytesPerFrame)
    }

    /// Whether the next frame must decide how frames are shown; see ``decided(by:_:)``.
    var isUndecided: Bool { if case .undecided = mode { true } else { false } }

    /// Returns the picture of a frame that is scanned out directly; requires ``holdsFrames``.
    func image(of lease: borrowing FrameLease) -> any ScanoutImage {
        guard case .scanOut(let images) = mode else {
            preconditionFailure("frames that the CPU must write")
        }
        return images[lease.index]
    }

    /// Returns the picture that shows this frame; the feed must be decided. `shown` is on screen
    /// and must not be written to. Throws ``DamagedFrame`` if the frame is no picture;
    /// ``ChangedFrame`` if the feed must be decided anew.
    func image(
        for lease: borrowing FrameLease, avoiding shown: (any ScanoutImage)?,
        blending overlay: @autoclosure () -> OverlayPicture?
    ) throws -> any ScanoutImage {
        switch mode {
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
