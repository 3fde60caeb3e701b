/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "czbar.h"

#include "clinux.h"

#include <limits.h>

/* The functions of zbar.h that are called here, by a binary interface that is the same since
 * 2009. */
static struct {
    void *(*image_scanner_create)(void);
    void (*image_scanner_destroy)(void *);
    int (*image_scanner_set_config)(void *, int, int, int);
    int (*scan_image)(void *, void *);
    void *(*image_create)(void);
    void (*image_destroy)(void *);
    void (*image_set_format)(void *, unsigned long);
    void (*image_set_size)(void *, unsigned, unsigned);
    void (*image_set_data)(void *, const void *, unsigned long, void (*)(void *));
    const void *(*image_first_symbol)(const void *);
    const void *(*symbol_next)(const void *);
    int (*symbol_get_type)(const void *);
    const char *(*get_symbol_name)(int);
    const char *(*symbol_get_data)(const void *);
    unsigned (*symbol_get_data_length)(const void *);
    unsigned (*symbol_get_loc_size)(const void *);
    int (*symbol_get_loc_x)(const void *, unsigned);
    int (*symbol_get_loc_y)(const void *, unsigned);
} zbar;

static const struct clinux_function functions[] = {
    {"zbar_image_scanner_create", &zbar.image_scanner_create},
    {"zbar_image_scanner_destroy", &zbar.image_scanner_destroy},
    {"zbar_image_scanner_set_config", &zbar.image_scanner_set_config},
    {"zbar_scan_image", &zbar.scan_image},
    {"zbar_image_create", &zbar.image_create},
    {"zbar_image_destroy", &zbar.image_destroy},
    {"zbar_image_set_format", &zbar.image_set_format},
    {"zbar_image_set_size", &zbar.image_set_size},
    {"zbar_image_set_data", &zbar.image_set_data},
    {"zbar_image_first_symbol", &zbar.image_first_symbol},
    {"zbar_symbol_next", &zbar.symbol_next},
    {"zbar_symbol_get_type", &zbar.symbol_get_type},
    {"zbar_get_symbol_name", &zbar.get_symbol_name},
    {"zbar_symbol_get_data", &zbar.symbol_get_data},
    {"zbar_symbol_get_data_length", &zbar.symbol_get_data_length},
    {"zbar_symbol_get_loc_size", &zbar.symbol_get_loc_size},
    {"zbar_symbol_get_loc_x", &zbar.symbol_get_loc_x},
    {"zbar_symbol_get_loc_y", &zbar.symbol_get_loc_y},
};

const char *czbar_load(void)
{
    static int is_loaded;
    if (is_loaded)
        return NULL;
    const char *reason =
        clinux_open_library("libzbar.so.0", "libzbar0", functions, sizeof functions / sizeof *functions);
    if (reason)
        return reason;
    is_loaded = 1;
    return NULL;
}

void *czbar_open(void)
{
    enum { ALL_KINDS = 0, ENABLE = 0 };
    void *scanner = zbar.image_scanner_create();
    if (scanner)
        zbar.image_scanner_set_config(scanner, ALL_KINDS, ENABLE, 1);
    return scanner;
}

void czbar_close(void *scanner) { zbar.image_scanner_destroy(scanner); }

/* Keeps the pixels, which belong to the caller. */
static void keep(void *image) { (void)image; }

static void locate(const void *symbol, struct czbar_symbol *found)
{
    found->left = found->top = INT_MAX;
    found->right = found->bottom = 0;
    for (unsigned i = 0; i < zbar.symbol_get_loc_size(symbol); i++) {
        int x = zbar.symbol_get_loc_x(symbol, i), y = zbar.symbol_get_loc_y(symbol, i);
        if (x < found->left) found->left = x;
        if (y < found->top) found->top = y;
        if (x > found->right) found->right = x;
        if (y > found->bottom) found->bottom = y;
    }
    if (found->left > found->right || found->top > found->bottom)
        found->left = found->top = found->right = found->bottom = 0;
}

int czbar_scan(void *scanner, const uint8_t *grey, unsigned width, unsigned height,
               void (*found)(const struct czbar_symbol *symbol, void *context), void *context)
{
    void *image = zbar.image_create();
    if (!image)
        return -1;
    zbar.image_set_format(image, 'Y' | '8' << 8 | '0' << 16 | (unsigned long)'0' << 24);
    zbar.image_set_size(image, width, height);
    zbar.image_set_data(image, grey, (unsigned long)width * height, keep);
    int count = zbar.scan_image(scanner, image);
    for (const void *symbol = count > 0 ? zbar.image_first_symbol(image) : NULL; symbol;
         symbol = zbar.symbol_next(symbol)) {
        struct czbar_symbol one = {
            .kind = zbar.get_symbol_name(zbar.symbol_get_type(symbol)),
            .text = zbar.symbol_get_data(symbol),
            .count = zbar.symbol_get_data_length(symbol),
        };
        locate(symbol, &one);
        found(&one, context);
    }
    zbar.image_destroy(image);
    return count;
}
