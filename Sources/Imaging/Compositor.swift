// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
public import Media

/// Composes a frame and an overlay in memory as a screen shows them: for screenshots, the virtual
/// screen and displays without an overlay plane. Not thread-safe. A compositor keeps its working
/// memory between calls; libyuv's scaler allocates and frees a few rows. The target, often
/// write-combined memory, is written once and never read.
@safe
public final class Compositor {
    private let converter = PixelConverter()
    private var converted = Scratch()
    private var turned = Scratch()
    private var scaled = Scratch()
    private var canvas = Scratch()

    /// Creates a compositor without allocating memory.
    public init() {}

    /// The position of a frame on a target.
    public struct Placement: Hashable, Sendable {
        /// The part of the frame to show.
        public var source: PixelRect
        /// The rectangle of the target to fill. The area around it is black.
        public var target: PixelRect
        /// The turn of the part, and the mirroring after it, within `target`.
        public var orientation: ExifOrientation

        /// Creates a placement without checking it.
        public init(
            source: PixelRect, target: PixelRect, orientation: ExifOrientation = .upright
        ) {
            self.source = source
            self.target = target
            self.orientation = orientation
        }

        /// Places the turned frame by gravity; see ``Gravity/place(_:on:)``. The pixel aspect ratio
        /// is the width of a stored pixel, relative to its height.
        public init(
            _ frame: Dimensions, on screen: Dimensions, _ gravity: Gravity,
            _ orientation: ExifOrientation = .upright, pixelAspectRatio ratio: Double = 1
        ) {
            let width = max(Int((Double(frame.width) * ratio).rounded()), 1)
            let upright = orientation.apply(to: Dimensions(width: width, height: frame.height))
            let (part, target) = gravity.place(upright, on: screen)
            var source = orientation.storedRect(of: part, in: upright)
            if width != frame.width {
                source.x = source.x * frame.width / width & ~1
                source.width = max(min(source.width * frame.width / width, frame.width) & ~1, 1)
                source.width = min(source.width, frame.width - source.x)
            }
            self.init(source: source, target: target, orientation: orientation)
        }
    }

    /// Fills all of `target` (XRGB8888) with a frame in any uncompressed format, or with black for
    /// `nil`, below a premultiplied ARGB8888 `overlay` of the target's dimensions. Smaller targets
    /// are box filtered, larger ones bilinear, both up to 2 darker than exact. ``PixelConverter``
    /// converts colours. Throws `unsupported` for other formats; `outOfBounds` for rectangles
    /// outside their pictures; `mismatched` for an overlay of another size; `exhausted`.
    @unsafe
    public func render(
        _ frame: (pixels: PixelAccess, placement: Placement)?, overlay: PixelAccess? = nil,
        into target: PixelAccess
    ) throws(ImagingError) {
        let screen = try unsafe FrameView(target)
        guard unsafe screen.format == .xrgb else {
            throw unsafe ImagingError(.unsupported, "a screen of \(screen.format)")
        }
        guard let overlay = unsafe overlay else {
            try unsafe draw(frame, into: screen)
            return
        }
        let above = try unsafe FrameView(overlay)
        guard unsafe above.format == .argb else {
            throw unsafe ImagingError(.unsupported, "an overlay of \(above.format)")
        }
        guard unsafe above.width == screen.width, unsafe above.height == screen.height else {
            throw unsafe ImagingError(
                .mismatched,
                "an overlay of \(above.width)x\(above.height) on \(screen.width)x\(screen.height)")
        }
        // Blending reads the picture below, which must not be the target.
        let stride = unsafe screen.width * 4
        let below = unsafe FrameView(
            .xrgb, width: screen.width, height: screen.height,
            try canvas.reserve(stride * screen.height), stride: stride)
        try unsafe draw(frame, into: below)
        let result = unsafe ARGBBlend(
            above.first.start, above.first.stride, below.first.start, below.first.stride,
            screen.first.start, screen.first.stride, CInt(screen.width), CInt(screen.height))
        guard result == 0 else { throw ImagingError(.failed, "libyuv: blending") }
    }

    private func draw(
        _ frame: (pixels: PixelAccess, placement: Placement)?, into screen: FrameView
    ) throws(ImagingError) {
        guard let frame = unsafe frame else {
            unsafe fill(screen, PixelRect(x: 0, y: 0, width: screen.width, height: screen.height))
            return
        }
        let source = try unsafe FrameView(frame.pixels)
        let placement = unsafe frame.placement
        guard unsafe placement.source.lies(within: source),
            unsafe placement.target.lies(within: screen)
        else {
            throw unsafe ImagingError(
                .outOfBounds,
                "\(placement) of \(source.width)x\(source.height) on "
                    + "\(screen.width)x\(screen.height)")
        }
        guard PixelConverter.canConvert(from: unsafe source.format, to: .xrgb) else {
            throw unsafe ImagingError(.unsupported, "\(source.format) on a screen")
        }
        unsafe drawBars(around: placement.target, on: screen)
        let target = unsafe screen.cropped(to: placement.target)
        let orientation = placement.orientation
        let isScaled = orientation.apply(to: placement.source.size) != placement.target.size
        let isWhole =
            unsafe !source.format.sharesChroma
            || placement.source.x % 2 == 0 && placement.source.y % 2 == 0
        if !isScaled, orientation == .upright, isWhole {
            try unsafe converter.convert(source.cropped(to: placement.source), to: target)
            return
        }
        let part = try unsafe xrgb(source, placement.source)
        let picture = try unsafe turned(part, by: orientation.rotation, toward: target)
        let size = unsafe Dimensions(width: picture.width, height: picture.height)
        switch (size != placement.target.size, orientation.isMirrored) {
        case (false, false): try unsafe converter.convert(picture, to: target)
        case (false, true): try unsafe mirror(picture, into: target)
        case (true, false): try unsafe scale(picture, into: target)
        case (true, true):
            try unsafe mirror(try scaled(picture, to: placement.target.size), into: target)
        }
    }

    private func scaled(
        _ picture: FrameView, to size: Dimensions
    ) throws(ImagingError) -> FrameView {
        let result = unsafe FrameView(
            .xrgb, width: size.width, height: size.height,
            try scaled.reserve(size.width * 4 * size.height), stride: size.width * 4)
        try unsafe scale(picture, into: result)
        return unsafe result
    }

    /// Returns `rect` of the frame as XRGB8888, in the frame itself or in working memory.
    private func xrgb(_ frame: FrameView, _ rect: PixelRect) throws(ImagingError) -> FrameView {
        if unsafe frame.format == .xrgb { return unsafe frame.cropped(to: rect) }
        // Convert whole chroma steps, then crop to `rect`.
        var whole = rect
        whole.x -= rect.x % 2
        whole.y -= rect.y % 2
        whole.width += rect.x % 2
        whole.height += rect.y % 2
        let stride = whole.width * 4
        let result = unsafe FrameView(
            .xrgb, width: whole.width, height: whole.height,
            try converted.reserve(stride * whole.height), stride: stride)
        try unsafe converter.convert(frame.cropped(to: whole), to: result)
        return unsafe result.cropped(
            to: PixelRect(x: rect.x % 2, y: rect.y % 2, width: rect.width, height: rect.height))
    }

    /// Turns a picture. If it becomes smaller, it is scaled first.
    private func turned(
        _ picture: FrameView, by rotation: Rotation, toward target: FrameView
    ) throws(ImagingError) -> FrameView {
        if rotation == .none { return unsafe picture }
        var picture = unsafe picture
        let wanted = unsafe rotation.inverse.apply(
            to: Dimensions(width: target.width, height: target.height))
        if unsafe picture.width * picture.height > wanted.pixels {
            unsafe picture = try scaled(picture, to: wanted)
        }
        let size = unsafe rotation.apply(
            to: Dimensions(width: picture.width, height: picture.height))
        let result = unsafe FrameView(
            .xrgb, width: size.width, height: size.height,
            try turned.reserve(size.width * 4 * size.height), stride: size.width * 4)
        try unsafe picture.turn(by: rotation, into: result)
        return unsafe result
    }

    private func scale(_ source: FrameView, into target: FrameView) throws(ImagingError) {
        let result = unsafe ARGBScale(
            source.first.start, source.first.stride, CInt(source.width), CInt(source.height),
            target.first.start, target.first.stride, CInt(target.width), CInt(target.height),
            kFilterBox)
        guard result == 0 else { throw ImagingError(.failed, "libyuv: scaling") }
    }

    private func mirror(_ source: FrameView, into target: FrameView) throws(ImagingError) {
        let result = unsafe ARGBMirror(
            source.first.start, source.first.stride, target.first.start, target.first.stride,
            CInt(source.width), CInt(source.height))
        guard result == 0 else { throw ImagingError(.failed, "libyuv: mirroring") }
    }

    private func drawBars(around rect: PixelRect, on screen: FrameView) {
        let (width, height) = unsafe (screen.width, screen.height)
        let (right, bottom) = (rect.x + rect.width, rect.y + rect.height)
        unsafe fill(screen, PixelRect(x: 0, y: 0, width: width, height: rect.y))
        unsafe fill(screen, PixelRect(x: 0, y: rect.y, width: rect.x, height: rect.height))
        unsafe fill(
            screen, PixelRect(x: right, y: rect.y, width: width - right, height: rect.height))
        unsafe fill(
            screen, PixelRect(x: 0, y: bottom, width: width, height: height - bottom))
    }

    private func fill(_ screen: FrameView, _ rect: PixelRect) {
        guard rect.width > 0, rect.height > 0 else { return }
        unsafe ARGBRect(
            screen.first.start, screen.first.stride, CInt(rect.x), CInt(rect.y),
            CInt(rect.width), CInt(rect.height), 0xff00_0000)
    }
}

extension PixelRect {
    func lies(within frame: FrameView) -> Bool {
        let inside = unsafe x <= frame.width - width && y <= frame.height - height
        return x >= 0 && y >= 0 && width > 0 && height > 0 && inside
    }
}
