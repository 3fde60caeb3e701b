/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cass.h"

#include "clinux.h"
#include <ass/ass.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X) \
    X(library_init) \
    X(library_done) \
    X(set_message_cb) \
    X(add_font) \
    X(renderer_init) \
    X(renderer_done) \
    X(set_frame_size) \
    X(set_storage_size) \
    X(set_margins) \
    X(set_use_margins) \
    X(set_fonts) \
    X(set_cache_limits) \
    X(new_track) \
    X(free_track) \
    X(process_codec_private) \
    X(process_chunk) \
    X(set_check_readorder) \
    X(flush_events) \
    X(render_frame)
#define DECLARE(name) __typeof__(ass_##name) *name;
#define FIND(name) {"ass_" #name, &ass.name},

static struct {
    FUNCTIONS(DECLARE)
} ass;
static const struct clinux_function functions[] = {FUNCTIONS(FIND)};

const char *cass_load(void) {
    static int is_loaded;
    if (is_loaded) return NULL;
    const char *reason =
        clinux_open_library("libass.so.9", "libass9", functions, sizeof functions / sizeof *functions);
    is_loaded = !reason;
    return reason;
}

struct cass {
    ASS_Library *library;
    ASS_Renderer *renderer;
    ASS_Track *track;
    const ASS_Image *drawn;
    int has_fonts;
};

/* The library tells each font that it has chosen. */
static void ignore(int level, const char *format, va_list arguments, void *context) {
    (void)level, (void)format, (void)arguments, (void)context;
}

/* Megabytes of drawn letters. */
enum { cache_megabytes = 16, cached_glyphs = 2000 };

struct cass *cass_open(const char *head, size_t size) {
    struct cass *script = calloc(1, sizeof *script);
    if (!script) return NULL;
    script->library = ass.library_init();
    if (script->library) {
        ass.set_message_cb(script->library, ignore, NULL);
        script->renderer = ass.renderer_init(script->library);
        script->track = ass.new_track(script->library);
    }
    /* The library writes to the text. */
    char *copy = malloc(size + 1);
    if (!script->renderer || !script->track || !copy) {
        free(copy);
        cass_close(script);
        return NULL;
    }
    memcpy(copy, head, size);
    copy[size] = 0;
    ass.process_codec_private(script->track, copy, (int)size);
    free(copy);
    ass.set_check_readorder(script->track, 0);
    ass.set_cache_limits(script->renderer, cached_glyphs, cache_megabytes);
    return script;
}

void cass_close(struct cass *script) {
    if (script->track) ass.free_track(script->track);
    if (script->renderer) ass.renderer_done(script->renderer);
    if (script->library) ass.library_done(script->library);
    free(script);
}

void cass_add_font(struct cass *script, const char *name, const void *bytes, size_t size) {
    ass.add_font(script->library, name, bytes, (int)size);
}

void cass_set_layout(struct cass *script, const struct cass_layout *layout) {
    ass.set_frame_size(script->renderer, layout->width, layout->height);
    ass.set_storage_size(script->renderer, layout->picture_width, layout->picture_height);
    ass.set_margins(script->renderer, layout->top, layout->bottom, layout->left, layout->right);
    ass.set_use_margins(script->renderer, layout->is_plain);
    if (script->has_fonts) return;
    ass.set_fonts(script->renderer, NULL, "sans-serif", ASS_FONTPROVIDER_AUTODETECT, NULL, 1);
    script->has_fonts = 1;
}

void cass_clear(struct cass *script) {
    ass.flush_events(script->track);
    script->drawn = NULL;
}

void cass_add(struct cass *script, const char *line, size_t size, int64_t start, int64_t duration) {
    char *copy = malloc(size + 1);
    if (!copy) return;
    memcpy(copy, line, size);
    copy[size] = 0;
    ass.process_chunk(script->track, copy, (int)size, start, duration);
    free(copy);
}

int cass_draw(struct cass *script, int64_t time, struct cass_area *out) {
    struct cass_area area = {0};
    script->drawn = ass.render_frame(script->renderer, script->track, time, NULL);
    for (const ASS_Image *image = script->drawn; image; image = image->next) {
        if (image->w <= 0 || image->h <= 0) continue;
        int right = image->dst_x + image->w, bottom = image->dst_y + image->h;
        if (area.right == 0) area = (struct cass_area){image->dst_x, image->dst_y, right, bottom};
        if (image->dst_x < area.left) area.left = image->dst_x;
        if (image->dst_y < area.top) area.top = image->dst_y;
        if (right > area.right) area.right = right;
        if (bottom > area.bottom) area.bottom = bottom;
    }
    *out = area;
    return area.right > area.left && area.bottom > area.top;
}

/* Returns a product of two parts of 255, rounded. */
static uint32_t part(uint32_t a, uint32_t b) {
    uint32_t product = a * b + 128;
    return (product + (product >> 8)) >> 8;
}

static uint32_t over(uint32_t below, uint32_t color, uint32_t alpha) {
    uint32_t rest = 255 - alpha, result = 0;
    for (int shift = 0; shift <= 16; shift += 8)
        result |= (part(color >> shift & 255, alpha) + part(below >> shift & 255, rest)) << shift;
    return result | (alpha + part(below >> 24, rest)) << 24;
}

static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

void cass_blend(const struct cass *script, const struct cass_area *area, uint32_t *pixels, size_t row) {
    for (const ASS_Image *image = script->drawn; image; image = image->next) {
        uint32_t opacity = 255 - (image->color & 255), color = image->color >> 8;
        /* The library does not cut everything off at the screen's edges. */
        int left = larger(image->dst_x, area->left), right = smaller(image->dst_x + image->w, area->right);
        int top = larger(image->dst_y, area->top), bottom = smaller(image->dst_y + image->h, area->bottom);
        for (int y = top; y < bottom; y++) {
            const uint8_t *mask = image->bitmap + (ptrdiff_t)(y - image->dst_y) * image->stride - image->dst_x;
            uint32_t *line = pixels + (size_t)(y - area->top) * row - area->left;
            for (int x = left; x < right; x++)
                if (mask[x]) line[x] = over(line[x], color, part(mask[x], opacity));
        }
    }
}
