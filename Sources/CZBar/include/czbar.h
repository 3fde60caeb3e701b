/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libzbar, opened when codes are first looked for: it loads X11 and D-Bus, which few kiosks
 * need. */
#ifndef CZBAR_H
#define CZBAR_H

#include <stddef.h>
#include <stdint.h>

/* Opens the library. Returns NULL if it is there, otherwise the reason, a text for this thread
 * until its next call. Not for two threads at a time. */
const char *czbar_load(void);

/* A code in a picture. Text and kind belong to the scanner until it scans again. */
struct czbar_symbol {
    /* zbar's name for it, for example "QR-Code" or "EAN-13". */
    const char *kind;
    const char *text;
    size_t count;
    /* The smallest upright rectangle around the points that were found, in pixels. */
    int left, top, right, bottom;
};

/* Returns a scanner for one thread; NULL if memory is short. None of these functions may be
 * called before czbar_load has returned NULL. */
void *czbar_open(void);
void czbar_close(void *scanner);

/* Looks for codes of every kind in grey pixels, rows without gaps, and calls `found` for each of
 * them. Returns how many there were; negative on failure. */
int czbar_scan(void *scanner, const uint8_t *grey, unsigned width, unsigned height,
               void (*found)(const struct czbar_symbol *symbol, void *context), void *context);

#endif
