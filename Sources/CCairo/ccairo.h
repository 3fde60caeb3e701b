/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cairo and Pango, plus what Swift cannot import of them. */
#ifndef CCAIRO_H
#define CCAIRO_H

#include <cairo.h>
#include <pango/pangocairo.h>

/* GLib takes any object as a gpointer, and in some versions g_object_unref is a macro. */
static inline void ccairo_unref_layout(PangoLayout *layout) { (g_object_unref)(layout); }
static inline void ccairo_unref_context(PangoContext *context) { (g_object_unref)(context); }
static inline void ccairo_unref_font_map(PangoFontMap *map) { (g_object_unref)(map); }

/* Whether there is any font at all; the generic families are listed even if there is none. */
static inline int ccairo_has_font(PangoFontMap *map, PangoContext *context) {
    PangoFontDescription *any = pango_font_description_new();
    pango_font_description_set_family_static(any, "sans-serif");
    PangoFont *font = pango_font_map_load_font(map, context, any);
    pango_font_description_free(any);
    if (font) (g_object_unref)(font);
    return font != 0;
}

#endif
