// SPDX-License-Identifier: GPL-3.0-or-later

internal import CCairo
public import Media

/// A drawing surface in premultiplied ARGB8888, as DRM's overlay planes accept it. The memory lives
/// as long as the canvas; so do the fonts and Pango's caches, once text is drawn. Only one thread
/// at a time may use a canvas.
@safe
public final class Canvas {
    /// The size in pixels.
    public let dimensions: Dimensions

    // Both are made together and released in `deinit`; nobody else holds them.
    let context: OpaquePointer
    private let surface: OpaquePointer
    /// Created for the first text, for which Pango searches all fonts on threads of its own.
    private(set) lazy var typesetter = unsafe Typesetter(context)

    /// Creates a transparent canvas.
    public init(_ dimensions: Dimensions) throws(CanvasError) {
        let (width, height) = (dimensions.width, dimensions.height)
        guard (1...32_767).contains(width), (1...32_767).contains(height) else {
            throw CanvasError(.cannotAllocate, "canvas \(dimensions): impossible size")
        }
        // Cairo reports failures as surfaces and contexts in an error state, never as NULL.
        let surface = unsafe cairo_image_surface_create(
            CAIRO_FORMAT_ARGB32, CInt(width), CInt(height))
        let context = unsafe cairo_create(surface)
        guard let surface = unsafe surface, let context = unsafe context,
            unsafe cairo_status(context) == CAIRO_STATUS_SUCCESS
        else {
            let reason = unsafe Self.words(cairo_surface_status(surface))
            unsafe cairo_destroy(context)
            unsafe cairo_surface_destroy(surface)
            throw CanvasError(.cannotAllocate, "canvas \(dimensions): \(reason)")
        }
        self.dimensions = dimensions
        unsafe self.surface = surface
        unsafe self.context = context
    }

    deinit {
        unsafe cairo_destroy(context)
        unsafe cairo_surface_destroy(surface)
    }

    /// Searches the fonts now, which otherwise delays the first text.
    public func findFonts() { _ = typesetter }

    /// The whole canvas as a rectangle.
    public var bounds: Rectangle { Rectangle(dimensions) }

    /// Makes every pixel transparent.
    public func clear() { fill(Color.black.opacity(0)) }

    /// Replaces every pixel with this colour.
    public func fill(_ color: Color) {
        unsafe cairo_save(context)
        unsafe cairo_set_operator(context, CAIRO_OPERATOR_SOURCE)
        setColor(color)
        unsafe cairo_paint(context)
        unsafe cairo_restore(context)
    }

    /// Puts this colour behind the drawing, where it shows through transparent pixels.
    public func fillBehind(_ color: Color) {
        unsafe cairo_save(context)
        unsafe cairo_set_operator(context, CAIRO_OPERATOR_DEST_OVER)
        setColor(color)
        unsafe cairo_paint(context)
        unsafe cairo_restore(context)
    }

    /// Fills a rectangle, over what is there.
    public func fill(_ rectangle: Rectangle, _ color: Color, cornerRadius: Double = 0) {
        addPath(rectangle, cornerRadius)
        setColor(color)
        unsafe cairo_fill(context)
    }

    /// Fills a rectangle with a gradient from top to bottom.
    public func fill(_ rectangle: Rectangle, from top: Color, to bottom: Color) {
        let pattern = unsafe cairo_pattern_create_linear(
            0, rectangle.y, 0, rectangle.y + rectangle.height)
        for (offset, color) in [(0.0, top), (1.0, bottom)] {
            unsafe cairo_pattern_add_color_stop_rgba(
                pattern, offset, color.red, color.green, color.blue, color.alpha)
        }
        addPath(rectangle, 0)
        unsafe cairo_set_source(context, pattern)
        unsafe cairo_fill(context)
        unsafe cairo_pattern_destroy(pattern)
    }

    /// Draws a rectangle's outline, half of its width inside.
    public func stroke(
        _ rectangle: Rectangle, _ color: Color, width: Double, cornerRadius: Double = 0
    ) {
        addPath(rectangle, cornerRadius)
        setColor(color)
        unsafe cairo_set_line_width(context, width)
        unsafe cairo_stroke(context)
    }

    /// Fills a circle, over what is there.
    public func fillCircle(_ center: Point, radius: Double, _ color: Color) {
        unsafe cairo_new_path(context)
        unsafe cairo_arc(context, center.x, center.y, max(0, radius), 0, 2 * Double.pi)
        setColor(color)
        unsafe cairo_fill(context)
    }

    /// Fills a circle with a gradient from its middle to its edge. `plateau` is the part of the
    /// radius, 0…1, that keeps the first colour.
    public func fillCircle(
        _ center: Point, radius: Double, from middle: Color, to edge: Color, plateau: Double = 0
    ) {
        let pattern = unsafe cairo_pattern_create_radial(
            center.x, center.y, radius * plateau, center.x, center.y, radius)
        // A linear ramp has visible kinks at both ends; a smooth step has none.
        let stops = 8
        for stop in 0...stops {
            let offset = Double(stop) / Double(stops)
            let part = offset * offset * (3 - 2 * offset)
            func mix(_ part0: Double, _ part1: Double) -> Double {
                part0 + (part1 - part0) * part
            }
            unsafe cairo_pattern_add_color_stop_rgba(
                pattern, offset, mix(middle.red, edge.red), mix(middle.green, edge.green),
                mix(middle.blue, edge.blue), mix(middle.alpha, edge.alpha))
        }
        unsafe cairo_new_path(context)
        unsafe cairo_arc(context, center.x, center.y, max(0, radius), 0, 2 * Double.pi)
        unsafe cairo_set_source(context, pattern)
        unsafe cairo_fill(context)
        unsafe cairo_pattern_destroy(pattern)
    }

    /// Draws an arc; `radius` is its line's middle. The ends are turns 0…1, clockwise from the top.
    public func strokeArc(
        _ center: Point, radius: Double, from start: Double = 0, to end: Double = 1,
        _ color: Color, width: Double, roundEnds: Bool = false
    ) {
        guard end > start else { return }
        let turn = 2 * Double.pi
        let top = -Double.pi / 2
        unsafe cairo_new_path(context)
        unsafe cairo_arc(
            context, center.x, center.y, max(0, radius), top + start * turn, top + end * turn)
        setColor(color)
        strokePath(width: width, roundEnds: roundEnds)
    }

    /// Draws a line through the points.
    public func strokeLine(
        _ points: [Point], _ color: Color, width: Double, roundEnds: Bool = true
    ) {
        unsafe cairo_new_path(context)
        for point in points { unsafe cairo_line_to(context, point.x, point.y) }
        setColor(color)
        strokePath(width: width, roundEnds: roundEnds)
    }

    private func strokePath(width: Double, roundEnds: Bool) {
        unsafe cairo_set_line_cap(context, roundEnds ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT)
        unsafe cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        unsafe cairo_set_line_width(context, width)
        unsafe cairo_stroke(context)
    }

    private func addPath(_ rectangle: Rectangle, _ cornerRadius: Double) {
        unsafe cairo_new_path(context)
        let (x, y, width, height) =
            (rectangle.x, rectangle.y, rectangle.width, rectangle.height)
        let radius = min(cornerRadius, width / 2, height / 2)
        guard radius > 0 else { return unsafe cairo_rectangle(context, x, y, width, height) }
        let quarter = Double.pi / 2
        unsafe cairo_arc(context, x + width - radius, y + radius, radius, -quarter, 0)
        unsafe cairo_arc(context, x + width - radius, y + height - radius, radius, 0, quarter)
        unsafe cairo_arc(context, x + radius, y + height - radius, radius, quarter, 2 * quarter)
        unsafe cairo_arc(context, x + radius, y + radius, radius, 2 * quarter, 3 * quarter)
        unsafe cairo_close_path(context)
    }

    func setColor(_ color: Color) {
        unsafe cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha)
    }

    /// Draws a picture scaled into a rectangle: ``PixelFormat/xrgb``, or ``PixelFormat/argb`` to be
    /// laid over what is there. It is read only during the call. Other formats trap.
    /// - Parameter part: The part of the picture to draw, which lies within it; `nil` for all.
    @unsafe
    public func draw(
        _ picture: PixelAccess, _ part: PixelRect? = nil, in target: PixelRect, _ gravity: Gravity
    ) {
        let description = unsafe picture.description
        let part = part ?? PixelRect(description.dimensions)
        let size = part.size
        precondition(
            description.pixelFormat == .xrgb || description.pixelFormat == .argb,
            "a canvas cannot draw \(description.pixelFormat)")
        guard target.width > 0, target.height > 0, size.width > 0, size.height > 0 else { return }
        let format =
            description.pixelFormat == .xrgb ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32
        let row = unsafe picture.bytesPerRow(0)
        let source = unsafe cairo_image_surface_create_for_data(
            picture.plane(0) + part.y * row + 4 * part.x, format, CInt(size.width),
            CInt(size.height), CInt(row))
        defer {
            unsafe cairo_surface_finish(source)
            unsafe cairo_surface_destroy(source)
        }
        let place = gravity.place(size, on: target.size)
        let scaleX = Double(place.target.width) / Double(place.source.width)
        let scaleY = Double(place.target.height) / Double(place.source.height)
        unsafe cairo_save(context)
        unsafe cairo_translate(
            context, Double(target.x + place.target.x), Double(target.y + place.target.y))
        unsafe cairo_rectangle(
            context, 0, 0, Double(place.target.width), Double(place.target.height))
        unsafe cairo_clip(context)
        unsafe cairo_scale(context, scaleX, scaleY)
        unsafe cairo_set_source_surface(
            context, source, -Double(place.source.x), -Double(place.source.y))
        let pattern = unsafe cairo_get_source(context)
        unsafe cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD)
        // Only a strong reduction needs GOOD, which reads every source pixel.
        let filter =
            if scaleX == 1 && scaleY == 1 {
                CAIRO_FILTER_NEAREST
            } else if min(scaleX, scaleY) < 0.5 {
                CAIRO_FILTER_GOOD
            } else {
                CAIRO_FILTER_BILINEAR
            }
        unsafe cairo_pattern_set_filter(pattern, filter)
        unsafe cairo_paint(context)
        unsafe cairo_restore(context)
    }

    /// Runs `body` with the pixels for reading, in premultiplied ``PixelFormat/argb``.
    @unsafe
    public func withPixels<Result, Failure: Error>(
        _ body: (PixelAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe cairo_surface_flush(surface)
        guard let start = unsafe cairo_image_surface_get_data(surface),
            let description = FrameDescription(
                .argb, dimensions,
                bytesPerRow: unsafe Int(cairo_image_surface_get_stride(surface)))
        else { preconditionFailure("an image surface without memory") }
        return try unsafe body(PixelAccess(description, start))
    }

    /// Runs `body` with the pixels for writing, laid out as in ``withPixels(_:)``.
    @unsafe
    public func withMutablePixels<Result, Failure: Error>(
        _ body: (PixelAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { unsafe cairo_surface_mark_dirty(surface) }
        return try unsafe withPixels(body)
    }

    /// Writes the picture to a PNG file, replacing it, without syncing it to the disk.
    public func writePNG(to path: String) throws(CanvasError) {
        let status = unsafe cairo_surface_write_to_png(surface, path)
        if status != CAIRO_STATUS_SUCCESS {
            throw CanvasError(.cannotWrite, "\(path): \(Self.words(status))")
        }
    }

    /// Returns the picture as the bytes of a PNG file.
    public func png() throws(CanvasError) -> [UInt8] {
        var bytes: [UInt8] = []
        let status = unsafe withUnsafeMutablePointer(to: &bytes) { bytes in
            unsafe cairo_surface_write_to_png_stream(
                surface,
                { closure, data, count in
                    let bytes = unsafe closure?.assumingMemoryBound(to: [UInt8].self)
                    unsafe bytes?.pointee.append(
                        contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
                    return CAIRO_STATUS_SUCCESS
                }, bytes)
        }
        if status != CAIRO_STATUS_SUCCESS {
            throw CanvasError(.cannotWrite, "PNG \(dimensions): \(Self.words(status))")
        }
        return bytes
    }

    private static func words(_ status: cairo_status_t) -> String {
        unsafe String(cString: cairo_status_to_string(status))
    }
}
