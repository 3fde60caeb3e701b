/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cairo and Pango, plus what Swift cannot see of them. */
#ifndef CCAIRO_H
#define CCAIRO_H

#include <cairo.h>
#include <pango/pangocairo.h>

/* A PangoLayout is a PangoLayout * and a PangoContext * to Pango, a gpointer to GLib; Swift wants the
 * two spelled out, and g_object_unref is a macro over the function in newer GLib headers. */
static inline void ccairo_unref_layout(PangoLayout *layout) { (g_object_unref)(layout); }
static inline void ccairo_unref_context(PangoContext *context) { (g_object_unref)(context); }
static inline void ccairo_unref_font_map(PangoFontMap *map) { (g_object_unref)(map); }

/* Families that the font map offers; the list is the caller's to free with g_free, done here. */
static inline int ccairo_family_count(PangoFontMap *map) {
    PangoFontFamily **families = 0;
    int count = 0;
    pango_font_map_list_families(map, &families, &count);
    g_free(families);
    return count;
}

#endif
