/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libzbar, found when codes are first looked for: it brings X11 and D-Bus, which few kiosks need. */
#ifndef CZBAR_H
#define CZBAR_H

#include <stddef.h>
#include <stdint.h>

/* Opens the library. NULL when it is there, else why not; the text stays. Not for two threads at a time. */
const char *czbar_load(void);

/* A code in a picture. Text and kind are the scanner's until it scans again. */
struct czbar_symbol {
    /* As zbar names it, for example "QR-Code" or "EAN-13". */
    const char *kind;
    const char *text;
    size_t count;
    /* The smallest upright rectangle around what was found of it, in pixels. */
    int left, top, right, bottom;
};

/* For one thread; NULL without memory. None of these may be called before czbar_load has answered NULL. */
void *czbar_open(void);
void czbar_close(void *scanner);

/* Looks for codes of every kind in grey pixels, rows without gaps, and calls back for each of them. How many there
 * were; negative on failure. */
int czbar_scan(void *scanner, const uint8_t *grey, unsigned width, unsigned height,
               void (*found)(const struct czbar_symbol *symbol, void *context), void *context);

#endif
