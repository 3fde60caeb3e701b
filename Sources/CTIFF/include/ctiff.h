/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libtiff, found when the first RAW is written: few cameras deliver any. */
#ifndef CTIFF_H
#define CTIFF_H

#include <stddef.h>
#include <stdint.h>

/* Opens the library. NULL when it is there, else why not; the text stays. Not for two threads at a time. */
const char *ctiff_load(void);

/* What a sensor measured. */
struct ctiff_raw {
    uint32_t width, height;
    /* 8 or 16, in the machine's order; rows without gaps. */
    uint16_t bits;
    const void *samples;
    /* The largest value. */
    uint32_t white;
    /* 0 red, 1 green, 2 blue: of the upper two filters, then of the lower two. */
    uint8_t filters[4];
    uint16_t orientation;
    /* Make, model, software and time, one behind the other, each with its NUL; each may be empty. */
    const char *texts;
};

/* Writes a DNG of it into memory that ctiff_free takes. 0, or -1 where there is no memory or the library refused; may not
 * be called before ctiff_load has answered NULL. */
int ctiff_write_dng(const struct ctiff_raw *raw, uint8_t **bytes, size_t *count);
void ctiff_free(uint8_t *bytes);

#endif
