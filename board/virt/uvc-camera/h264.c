/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "h264.h"

#include <string.h>

/* nal_unit_type, table 7-1. */
enum { SLICE = 1, SLICE_PARTITION = 2, IDR_SLICE = 5, SEI = 6, SPS = 7, PPS = 8, DELIMITER = 9 };

/* Returns where the next NAL unit's first byte is, after its start code; `length` if there is
 * none. */
static size_t next_nal(const uint8_t *stream, size_t length, size_t at)
{
    for (; at + 3 < length; at++)
        if (stream[at] == 0 && stream[at + 1] == 0 && stream[at + 2] == 1)
            return at + 3;
    return length;
}

static unsigned type_of(uint8_t header) { return header & 0x1f; }

static size_t find(const uint8_t *unit, size_t length, unsigned type)
{
    size_t at = next_nal(unit, length, 0);
    while (at < length && type_of(unit[at]) != type)
        at = next_nal(unit, length, at);
    return at;
}

/* Any of these NAL units begins the next access unit after a picture's slices (7.4.1.2.3). */
size_t h264_unit_length(const uint8_t *stream, size_t length)
{
    bool has_slice = false;
    for (size_t at = next_nal(stream, length, 0); at < length; at = next_nal(stream, length, at)) {
        unsigned type = type_of(stream[at]);
        bool slice = type == SLICE || type == SLICE_PARTITION || type == IDR_SLICE;
        /* A slice begins with the number of its first macroblock: a first bit of 1 is 0 as
         * ue(v). */
        bool begins = slice ? at + 1 < length && stream[at + 1] & 0x80
                            : type == SEI || type == SPS || type == PPS || type == DELIMITER;
        if (has_slice && begins)
            return at - (stream[at - 4] == 0 ? 4 : 3);
        has_slice = has_slice || slice;
    }
    return length;
}

bool h264_begins(const uint8_t *unit, size_t length)
{
    return find(unit, length, SPS) < length && find(unit, length, PPS) < length &&
           find(unit, length, IDR_SLICE) < length;
}

/* Reads zeros beyond the end; `at` tells afterwards whether that happened. */
struct bits {
    uint8_t bytes[512];
    size_t length, at;
};

static unsigned take(struct bits *b, unsigned count)
{
    unsigned value = 0;
    for (; count; count--, b->at++)
        value = value << 1 |
                (b->at / 8 < b->length ? b->bytes[b->at / 8] >> (7 - b->at % 8) & 1 : 0);
    return value;
}

static unsigned ue(struct bits *b)
{
    unsigned zeros = 0;
    while (zeros < 31 && !take(b, 1))
        zeros++;
    return (1u << zeros) - 1 + take(b, zeros);
}

static int se(struct bits *b)
{
    unsigned code = ue(b);
    return code & 1 ? (int)(code / 2) + 1 : -(int)(code / 2);
}

/* Copies a NAL unit without the bytes that keep start codes out of it (7.3.1). */
static void unescape(struct bits *b, const uint8_t *nal, size_t length)
{
    for (size_t i = 0; i < length && b->length < sizeof b->bytes; i++)
        if (i < 2 || nal[i] != 3 || nal[i - 1] || nal[i - 2])
            b->bytes[b->length++] = nal[i];
}

static void skip_scaling_list(struct bits *b, unsigned count)
{
    int last = 8, next = 8;
    for (; count && next; count--) {
        next = (last + se(b) % 256 + 256) % 256;
        last = next ? next : last;
    }
}

/* Skips what only the high profiles have. Returns chroma_format_idc, or 0 if planes are coded
 * separately. */
static unsigned skip_high_profile(struct bits *b)
{
    unsigned chroma = ue(b), separate = chroma == 3 ? take(b, 1) : 0;
    ue(b); /* bit depths */
    ue(b);
    take(b, 1);
    if (take(b, 1))
        for (unsigned list = 0; list < (chroma == 3 ? 12 : 8); list++)
            if (take(b, 1))
                skip_scaling_list(b, list < 6 ? 16 : 64);
    return separate ? 0 : chroma;
}

static void skip_picture_order(struct bits *b)
{
    unsigned type = ue(b);
    if (type == 0)
        ue(b);
    if (type != 1)
        return;
    take(b, 1);
    se(b);
    se(b);
    for (unsigned count = ue(b) % 256; count; count--)
        se(b);
}

/* Reads seq_parameter_set_data (7.3.2.1.1). */
int h264_size(const uint8_t *unit, size_t length, uint16_t *width, uint16_t *height)
{
    static const uint8_t high[] = {100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135};
    size_t at = find(unit, length, SPS) + 1;
    struct bits b = {.length = 0};
    if (at < length)
        unescape(&b, unit + at, length - at);
    unsigned profile = take(&b, 8), chroma = 1;
    take(&b, 16); /* constraints, level */
    ue(&b);       /* id */
    if (memchr(high, (int)profile, sizeof high))
        chroma = skip_high_profile(&b);
    ue(&b); /* log2_max_frame_num */
    skip_picture_order(&b);
    ue(&b); /* reference frames, and whether there may be gaps */
    take(&b, 1);
    uint64_t across = (ue(&b) + UINT64_C(1)) * 16, down = (ue(&b) + UINT64_C(1)) * 16;
    unsigned fields = take(&b, 1) ? 1 : 2;
    down *= fields;
    if (fields == 2)
        take(&b, 1);
    take(&b, 1);
    if (take(&b, 1)) { /* cropped: in chroma samples and in lines of a field */
        unsigned unit_across = chroma == 1 || chroma == 2 ? 2 : 1;
        unsigned unit_down = (chroma == 1 ? 2 : 1) * fields;
        across -= (ue(&b) + (uint64_t)ue(&b)) * unit_across;
        down -= (ue(&b) + (uint64_t)ue(&b)) * unit_down;
    }
    /* The sizes are unsigned, so one that is cropped to less than nothing is too large. */
    if (b.at > b.length * 8 || across - 1 >= UINT16_MAX || down - 1 >= UINT16_MAX)
        return -1;
    *width = (uint16_t)across;
    *height = (uint16_t)down;
    return 0;
}
