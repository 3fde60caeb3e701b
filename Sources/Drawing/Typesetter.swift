// SPDX-License-Identifier: GPL-3.0-or-later

internal import CCairo

/// A text layout by Pango, with a font map of its own whose caches end with the canvas.
@safe
final class Typesetter {
    // All three are made together and released in `deinit`; nobody else holds them. There is no
    // layout without fonts: some versions of Pango then draw boxes, others end the process.
    private let fonts: UnsafeMutablePointer<PangoFontMap>?
    private let context: OpaquePointer?
    private let layout: OpaquePointer?

    init(_ cairo: OpaquePointer) {
        let fonts = unsafe pango_cairo_font_map_new()
        let context = unsafe pango_font_map_create_context(fonts)
        unsafe self.fonts = fonts
        unsafe self.context = context
        guard unsafe ccairo_has_font(fonts, context) != 0 else {
            unsafe layout = nil
            return
        }
        let options = unsafe cairo_font_options_create()
        // Overlays have no known background, so subpixel colours would be wrong. Letters without
        // hinting keep their shape at every size.
        unsafe cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        unsafe pango_cairo_context_set_font_options(context, options)
        unsafe cairo_font_options_destroy(options)
        unsafe pango_cairo_update_context(cairo, context)
        unsafe layout = pango_layout_new(context)
    }

    deinit {
        if let layout = unsafe layout { unsafe ccairo_unref_layout(layout) }
        if let context = unsafe context { unsafe ccairo_unref_context(context) }
        if let fonts = unsafe fonts { unsafe ccairo_unref_font_map(fonts) }
    }

    struct Extents {
        var x = 0.0
        var width = 0.0
        var height = 0.0
    }
}

extension Typesetter {
    /// Lays out text at most as wide as `box`, and runs `body` with the layout and the extents of
    /// its lines. If there are no fonts, returns `empty` instead.
    func withLayout<Result>(
        _ text: String, _ style: TextStyle, _ box: Rectangle, _ size: Double, empty: Result,
        _ body: (OpaquePointer, Extents) -> Result
    ) -> Result {
        guard let layout = unsafe layout, size > 0 else { return empty }
        let scale = Double(PANGO_SCALE)
        let font = unsafe pango_font_description_new()
        unsafe pango_font_description_set_family(font, style.family)
        unsafe pango_font_description_set_weight(
            font, PangoWeight(rawValue: UInt32(style.weight.rawValue)))
        unsafe pango_font_description_set_absolute_size(font, size * scale)
        unsafe pango_layout_set_font_description(layout, font)
        unsafe pango_font_description_free(font)

        unsafe pango_layout_set_width(layout, CInt(max(1, min(box.width, 32_767)) * scale))
        unsafe pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        unsafe pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
        unsafe pango_layout_set_single_paragraph_mode(layout, style.maximumLines == 1 ? 1 : 0)
        unsafe pango_layout_set_height(layout, -CInt(max(1, min(style.maximumLines, 1000))))
        unsafe pango_layout_set_alignment(layout, style.alignment.pango)
        unsafe pango_layout_set_text(layout, text, -1)

        var lines = PangoRectangle()
        unsafe pango_layout_get_extents(layout, nil, &lines)
        let extents = Extents(
            x: Double(lines.x) / scale, width: Double(lines.width) / scale,
            height: Double(lines.height) / scale)
        return unsafe body(layout, extents)
    }
}

extension TextStyle.Alignment {
    fileprivate var pango: PangoAlignment {
        switch self {
        case .leading: PANGO_ALIGN_LEFT
        case .center: PANGO_ALIGN_CENTER
        case .trailing: PANGO_ALIGN_RIGHT
        }
    }
}
