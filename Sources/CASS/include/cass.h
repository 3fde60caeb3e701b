/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws subtitles with libass, which is opened when it is first needed. None of the other functions
 * may be called before cass_load has returned NULL. */
#ifndef CASS_H
#define CASS_H

#include <stddef.h>
#include <stdint.h>

/* Opens the library. Returns NULL, or the reason: a text for this thread until its next call. Not for
 * two threads at a time. */
const char *cass_load(void);

/* One script with its fonts and events, for one thread at a time. */
struct cass;

/* Reads the head of a script: its styles. Returns NULL without memory. */
struct cass *cass_open(const char *head, size_t size);
void cass_close(struct cass *script);

/* Adds a font that came with the script. Call it before the first drawing. */
void cass_add_font(struct cass *script, const char *name, const void *bytes, size_t size);

/* Sets the pixels of the screen, those of the coded picture, and the parts of the screen beside the
 * picture: negative where the picture is cut. Plain texts may lie beside the picture. */
struct cass_layout {
    int width, height;
    int picture_width, picture_height;
    int top, bottom, left, right;
    int is_plain;
};
void cass_set_layout(struct cass *script, const struct cass_layout *layout);

/* Forgets all events. */
void cass_clear(struct cass *script);
/* Adds an event: a line in the form of Matroska. Times are milliseconds. */
void cass_add(struct cass *script, const char *line, size_t size, int64_t start, int64_t duration);

/* A part of the screen. */
struct cass_area {
    int left, top, right, bottom;
};
/* Draws the events of an instant. Returns whether there is something to see, and where. It is valid until
 * the next call. Parts may lie outside the screen. */
int cass_draw(struct cass *script, int64_t time, struct cass_area *out);
/* Puts what was drawn and lies in the area over premultiplied ARGB8888 pixels, the first of which is at
 * the top left of the area. */
void cass_blend(const struct cass *script, const struct cass_area *area, uint32_t *pixels, size_t row);

#endif
