/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libtiff, opened when the first RAW is written: few cameras deliver any. */
#ifndef CTIFF_H
#define CTIFF_H

#include <stddef.h>
#include <stdint.h>

/* Opens the library. Returns NULL if it is there, otherwise the reason, a text for this thread
 * until its next call. Not for two threads at a time. */
const char *ctiff_load(void);

/* The values that a sensor measured. */
struct ctiff_raw {
    uint32_t width, height;
    /* 8 or 16, in the machine's byte order; rows without gaps. */
    uint16_t bits;
    const void *samples;
    /* The largest value. */
    uint32_t white;
    /* 0 red, 1 green, 2 blue: the upper two filters, then the lower two. */
    uint8_t filters[4];
    uint16_t orientation;
    /* The colour matrix from XYZ, by rows; the camera's values of white; and the light source of
     * both, as in EXIF. */
    const float *from_xyz, *neutral;
    uint16_t illuminant;
    /* Make, model, software and time, one after the other, each with its NUL; each may be empty. */
    const char *texts;
};

/* Writes a DNG of the values into memory that ctiff_free frees. Returns 0, or -1 if memory is
 * short or the library refused. It must not be called before ctiff_load has returned NULL. */
int ctiff_write_dng(const struct ctiff_raw *raw, uint8_t **bytes, size_t *count);
void ctiff_free(uint8_t *bytes);

#endif
