// SPDX-License-Identifier: GPL-3.0-or-later

internal import CCairo
internal import Media

extension Canvas {
    /// Draws text into a box, centred vertically. Lines fit the box's width; only the edge effect
    /// may extend beyond it. Returns the rectangle of the lines; empty without fonts.
    @discardableResult
    public func draw(_ text: String, _ style: TextStyle, in box: Rectangle) -> Rectangle {
        let empty = Rectangle(center: box.center, width: 0, height: 0)
        return unsafe typesetter.withLayout(text, style, box, pixels(style), empty: empty) {
            layout, extents in
            let y = box.y + (box.height - extents.height) / 2
            unsafe cairo_save(context)
            unsafe cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
            unsafe cairo_translate(context, box.x, y)
            unsafe drawEdge(layout, style)
            setColor(style.color)
            unsafe cairo_move_to(context, 0, 0)
            unsafe pango_cairo_show_layout(context, layout)
            unsafe cairo_restore(context)
            return Rectangle(
                x: box.x + extents.x, y: y, width: extents.width, height: extents.height)
        }
    }

    /// Returns the size that text takes in lines of at most `width`, without drawing it.
    public func measure(_ text: String, _ style: TextStyle, width: Double) -> TextSize {
        let box = Rectangle(x: 0, y: 0, width: width, height: 0)
        let empty = TextSize(width: 0, height: 0, isShortened: false)
        return unsafe typesetter.withLayout(text, style, box, pixels(style), empty: empty) {
            layout, extents in
            TextSize(
                width: extents.width, height: extents.height,
                isShortened: unsafe pango_layout_is_ellipsized(layout) != 0)
        }
    }

    /// Draws text with the middle of its ink, not of its line, at `center`: for digits.
    public func draw(_ text: String, _ style: TextStyle, inkCenteredAt center: Point) {
        unsafe typesetter.withLayout(text, style, bounds, pixels(style), empty: ()) { layout, _ in
            var ink = PangoRectangle()
            unsafe pango_layout_get_extents(layout, &ink, nil)
            let scale = Double(PANGO_SCALE)
            unsafe cairo_save(context)
            unsafe cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
            unsafe cairo_translate(
                context, center.x - (Double(ink.x) + Double(ink.width) / 2) / scale,
                center.y - (Double(ink.y) + Double(ink.height) / 2) / scale)
            unsafe drawEdge(layout, style)
            setColor(style.color)
            unsafe cairo_move_to(context, 0, 0)
            unsafe pango_cairo_show_layout(context, layout)
            unsafe cairo_restore(context)
        }
    }

    private func pixels(_ style: TextStyle) -> Double {
        switch style.size {
        case .pixels(let size): size
        case .relative(let size): size * Double(dimensions.height)
        }
    }

    private func drawEdge(_ layout: OpaquePointer, _ style: TextStyle) {
        // The strokes' colours and relative widths, the widest first.
        let strokes: [(Color, Double)]
        switch style.edge {
        case .none: return
        case .outline(let color, let width):
            strokes = [(color, 2 * width)]
        case .glow(let color, let radius):
            let steps = 12
            strokes = (0..<steps).map { step in
                (
                    color.opacity(color.alpha / Double(steps)),
                    2 * radius * Double(steps - step) / Double(steps)
                )
            }
        }
        for (color, width) in strokes {
            unsafe cairo_new_path(context)
            unsafe cairo_move_to(context, 0, 0)
            unsafe pango_cairo_layout_path(context, layout)
            setColor(color)
            unsafe cairo_set_line_width(context, width * pixels(style))
            unsafe cairo_stroke(context)
        }
    }
}
