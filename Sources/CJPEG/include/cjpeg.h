/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libjpeg's compressor, a row of MCUs at a time. Its errors are jumps, which must not cross Swift: here they are results. */
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
    /* What is written: JCS_YCbCr and JCS_GRAYSCALE by cjpeg_write_planes, the JCS_EXT_ ones by cjpeg_write_pixels. */
    J_COLOR_SPACE input;
    /* Without chroma; of the two below nothing counts. */
    int is_grey;
    /* Samples of luma for one of chroma, across and down: 1, 2 or 4. */
    int across, down;
    /* 1 to 100. */
    int quality;
};

struct cjpeg_plane {
    const uint8_t *first;
    /* Bytes from one row to the next. */
    int stride;
};

/* NULL without memory. */
struct cjpeg_compressor *cjpeg_create(void);
void cjpeg_destroy(struct cjpeg_compressor *compressor);

/* The three below return 0, or -1 and leave a complaint: what was begun has then ended, and nothing can be written before
 * the next start. */

/* Begins a picture whose JPEG goes to `room` bytes at `bytes`, which it borrows until the picture's end. */
int cjpeg_start(struct cjpeg_compressor *compressor, const struct cjpeg_picture *picture, uint8_t *bytes, size_t room);

/* The next row of MCUs: as many rows of each component as it has and the picture still has left. Each row of samples is
 * readable to the end of its last block of eight. */
int cjpeg_write_planes(struct cjpeg_compressor *compressor, struct cjpeg_plane y, struct cjpeg_plane u,
                       struct cjpeg_plane v);

/* The next rows of pixels. */
int cjpeg_write_pixels(struct cjpeg_compressor *compressor, struct cjpeg_plane pixels, int rows);

/* Ends the picture. The JPEG's bytes; 0 like -1 above. */
size_t cjpeg_finish(struct cjpeg_compressor *compressor);

/* What was wrong with the last call that failed; it stays until the next one. */
const char *cjpeg_complaint(const struct cjpeg_compressor *compressor);

#endif
