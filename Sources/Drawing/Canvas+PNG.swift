// SPDX-License-Identifier: GPL-3.0-or-later

internal import CCairo
internal import Media

extension Canvas {
    /// Creates a canvas with the picture of a PNG file, in its size. Throws `cannotRead`.
    public convenience init(png path: String) throws(CanvasError) {
        let picture = unsafe cairo_image_surface_create_from_png(path)
        defer { unsafe cairo_surface_destroy(picture) }
        let status = unsafe cairo_surface_status(picture)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw unsafe CanvasError(
                .cannotRead, "\(path): \(String(cString: cairo_status_to_string(status)))")
        }
        try self.init(
            Dimensions(
                width: Int(unsafe cairo_image_surface_get_width(picture)),
                height: Int(unsafe cairo_image_surface_get_height(picture))))
        unsafe cairo_set_source_surface(context, picture, 0, 0)
        unsafe cairo_paint(context)
    }
}
