/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cpng.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

struct source {
    const uint8_t *bytes;
    size_t left;
};

static void take(png_structp png, png_bytep out, size_t count) {
    struct source *source = png_get_io_ptr(png);
    if (count > source->left) png_error(png, "end of file");
    memcpy(out, source->bytes, count);
    source->bytes += count;
    source->left -= count;
}

static void warn(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void fail(png_structp png, png_const_charp text) {
    (void)text;
    png_longjmp(png, 1);
}

uint8_t *cpng_profile(const uint8_t *file, size_t size, size_t most, size_t *count) {
    struct source source = {file, size};
    png_charp name;
    png_bytep profile = NULL;
    png_uint_32 length = 0;
    int method;
    uint8_t *copy = NULL;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, fail, warn);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (info && !setjmp(png_jmpbuf(png))) {
        png_set_chunk_malloc_max(png, most);
        png_set_read_fn(png, &source, take);
        png_read_info(png, info);
        if (png_get_iCCP(png, info, &name, &method, &profile, &length) && length > 0 && length <= most) {
            copy = malloc(length);
            if (copy) memcpy(copy, profile, length);
            *count = copy ? length : 0;
        }
    }
    png_destroy_read_struct(&png, &info, NULL);
    return copy;
}
