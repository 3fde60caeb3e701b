// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import Media

/// Writes camera frames into the display's own pictures, by the cheapest pass that the display
/// supports. Frames are decoded or converted at their own size, or composed at the screen's size if
/// the display cannot scale them or has no overlay plane.
final class FrameRenderer {
    /// One picture is on screen, one committed, one being written.
    private static let imageCount = 3

    let format: PixelFormat
    let placement: LayerPlacement
    /// Whether the CPU scales and places frames (`composes`), and draws the overlay into them
    /// because the display cannot (`blends`).
    let composes: Bool
    let blends: Bool
    let bytesPerFrame: Int
    let layout: VideoLayout
    private let images: [any ScanoutImage]
    private var next = 0
    private let work: Work

    private enum Work {
        case convert(PixelConverter)
        case decode(JPEGDecoder, JPEGScale)
        case compose(FrameComposer)
    }

    /// Chooses the cheapest pass whose pictures the display can show. `header` is that of a
    /// compressed stream's first frame.
    init(
        _ source: FrameDescription, from header: JPEGHeader?, on device: any ScanoutDevice,
        _ layout: VideoLayout, blends: Bool
    ) throws {
        self.blends = blends
        self.layout = layout
        let screen = device.preferredSize
        let scale = header.map { Self.scale($0.dimensions, layout, screen) } ?? .full
        let size = header.map { scale.apply(to: $0.dimensions) } ?? source.dimensions
        let color: ColorDescription = header == nil ? source.color : .jpeg
        let candidates = blends ? [] : Self.candidates(source.pixelFormat, header)
        for format in candidates where device.canScanOut(format) {
            guard let images = try? Self.makeImages(format, size, color, device),
                let placement = try? device.placeVideo(images[0], layout)
            else { continue }
            self.format = format
            self.placement = placement
            self.images = images
            composes = false
            bytesPerFrame = FrameDescription(format, size)?.bufferSizes[0] ?? 0
            work = header == nil ? .convert(PixelConverter()) : .decode(try JPEGDecoder(), scale)
            return
        }
        format = .xrgb
        // A picture of the preferred size always works. Placing it also undoes a mode that an
        // earlier stream set.
        images = try (0..<Self.imageCount).map { _ in
            try device.makeScreenImage(.xrgb, screen, .kept)
        }
        placement = try device.placeVideo(
            images[0], VideoLayout(gravity: .resize))
        composes = true
        let rotation = images[0].rotation
        let turns = [rotation, layout.orientation.rotation].count { $0 != .none }
        bytesPerFrame = screen.pixels * 4 * (1 + turns)
        work = .compose(
            try FrameComposer(layout.place(size, on: screen), header, scale, screen, rotation))
    }

    /// Returns the smallest decoding scale that loses no pixel that the screen could show.
    private static func scale(
        _ picture: Dimensions, _ layout: VideoLayout, _ screen: Dimensions
    ) -> JPEGScale {
        let placement = layout.place(picture, on: screen)
        let shown = layout.orientation.apply(to: placement.target.size)
        return JPEGScale(of: picture, showing: placement.source.size, at: shown)
    }

    /// Returns the formats worth trying, the cheapest first.
    private static func candidates(_ source: PixelFormat, _ header: JPEGHeader?) -> [PixelFormat] {
        if let header { return [header.planarFormat, .nv12, .xrgb].compactMap { $0 } }
        return [source, .nv12, .xrgb].filter { PixelConverter.canConvert(from: source, to: $0) }
    }

    private static func makeImages(
        _ format: PixelFormat, _ size: Dimensions, _ color: ColorDescription,
        _ device: any ScanoutDevice
    ) throws -> [any ScanoutImage] {
        try (0..<imageCount).map { _ in
            try device.makeImage(format, size, color: color, .kept)
        }
    }

    /// Writes a frame into a picture that is not on screen, and returns the picture. Throws
    /// ``DamagedFrame``, ``ChangedFrame``, or an error if the frame's memory cannot be read.
    func render(
        _ lease: borrowing FrameLease, avoiding shown: (any ScanoutImage)?,
        _ overlay: OverlayPicture?
    ) throws -> any ScanoutImage {
        if images[next] === shown { next = (next + 1) % images.count }
        let image = images[next]
        try unsafe lease.withPixels { source in
            try unsafe image.buffers[0].withBytes(.write) { bytes in
                try unsafe write(source, to: PixelAccess(image.description, bytes), overlay)
            }
        }
        next = (next + 1) % images.count
        return image
    }

    private func write(
        _ source: PixelAccess, to target: PixelAccess, _ overlay: OverlayPicture?
    ) throws {
        do {
            switch work {
            case .convert(let converter): try unsafe converter.convert(source, to: target)
            case .decode(let decoder, let scale):
                try unsafe decoder.decode(source, into: target, scale: scale)
            case .compose(let composer):
                try unsafe composer.compose(source, into: target, blends ? overlay : nil)
            }
        } catch let error as ImagingError {
            if error.code == .mismatched { throw ChangedFrame() }
            throw DamagedFrame()
        }
    }
}
