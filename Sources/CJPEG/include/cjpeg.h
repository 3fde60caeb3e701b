/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libjpeg's compressor, a row of MCUs at a time. libjpeg reports errors by longjmp, which must
 * not cross Swift: here they are results. */
#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <jpeglib.h>

/* For one thread at a time. */
struct cjpeg_compressor;

struct cjpeg_picture {
    uint32_t width, height;
    /* The input: JCS_YCbCr or JCS_GRAYSCALE for cjpeg_write_planes, JCS_EXT_ ones for
     * cjpeg_write_pixels. */
    J_COLOR_SPACE input;
    /* Whether the JPEG has no chroma; the next two members are ignored then. */
    int is_grey;
    /* Samples of luma per sample of chroma, across and down: 1, 2 or 4. */
    int across, down;
    /* 1 to 100. */
    int quality;
    J_DCT_METHOD transform;
};

/* Whether the processor has AVX2. */
int cjpeg_has_avx2(void);


struct cjpeg_plane {
    const uint8_t *first;
    /* Bytes from one row to the next. */
    int stride;
};

/* Returns NULL if memory is short. */
struct cjpeg_compressor *cjpeg_create(void);
void cjpeg_destroy(struct cjpeg_compressor *compressor);

/* The three functions below return 0, or -1 and leave a complaint: the picture has then ended,
 * and nothing can be written before the next start. */

/* Begins a picture. Its JPEG goes to `room` bytes at `bytes`, borrowed until the picture's end. */
int cjpeg_start(struct cjpeg_compressor *compressor, const struct cjpeg_picture *picture, uint8_t *bytes, size_t room);

/* Writes the next row of MCUs: as many rows of each component as an MCU has and the picture has
 * left. Each row of samples must be readable to the end of its last block of eight. */
int cjpeg_write_planes(struct cjpeg_compressor *compressor, struct cjpeg_plane y, struct cjpeg_plane u,
                       struct cjpeg_plane v);

/* Writes the next rows of pixels. */
int cjpeg_write_pixels(struct cjpeg_compressor *compressor, struct cjpeg_plane pixels, int rows);

/* Ends the picture. Returns the size of the JPEG, or 0 and leaves a complaint. */
size_t cjpeg_finish(struct cjpeg_compressor *compressor);

/* Returns why the last call that failed did so; the text stays until the next failure. */
const char *cjpeg_complaint(const struct cjpeg_compressor *compressor);

#endif
