/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the camera's formats with pictures from files, or with a generated pattern. */
#include "camera.h"
#include "h264.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint32_t frame_intervals[INTERVAL_COUNT] = {333333, 666666};

enum { YUYV_WIDTH = 640, YUYV_HEIGHT = 480, YUYV_BYTES = YUYV_WIDTH * YUYV_HEIGHT * 2 };
enum { PATTERN_FRAMES = 8 };

static int read_file(const char *path, struct picture *picture)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    picture->bytes = malloc(length > 0 ? (size_t)length : 1);
    picture->length = fread(picture->bytes, 1, (size_t)length, file);
    fclose(file);
    return picture->length == (size_t)length && length > 0 ? 0 : -1;
}

/* Reads the size that a JPEG states in its first frame header (SOF0 to SOF2; ITU-T T.81, B.2.2). */
static int jpeg_size(const struct picture *jpeg, uint16_t *width, uint16_t *height)
{
    const uint8_t *p = jpeg->bytes + 2, *end = jpeg->bytes + jpeg->length;
    while (p + 9 < end && p[0] == 0xff) {
        if (p[1] >= 0xc0 && p[1] <= 0xc2) {
            *height = (uint16_t)(p[5] << 8 | p[6]);
            *width = (uint16_t)(p[7] << 8 | p[8]);
            return 0;
        }
        p += 2 + (p[2] << 8 | p[3]);
    }
    return -1;
}

/* Returns the format's entry for this size, made if it is new; NULL if there is no room. */
static struct frame_size *size_of(struct format *format, uint16_t width, uint16_t height)
{
    for (unsigned i = 0; i < format->size_count; i++)
        if (format->sizes[i].width == width && format->sizes[i].height == height)
            return &format->sizes[i];
    if (format->size_count == MAX_SIZES)
        return NULL;
    struct frame_size *size = &format->sizes[format->size_count++];
    size->width = width;
    size->height = height;
    size->largest = (uint32_t)width * height * 2;
    return size;
}

/* Doubles the room whenever it is full, which is at every power of two. */
static void add_picture(struct frame_size *size, struct picture picture)
{
    unsigned count = size->picture_count;
    if ((count & (count - 1)) == 0) {
        size->pictures = realloc(size->pictures, (count ? 2 * count : 1) * sizeof picture);
        if (!size->pictures) {
            perror("uvc-camera: pictures");
            exit(71);
        }
    }
    size->pictures[size->picture_count++] = picture;
}

static int is_jpeg_name(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && (!strcmp(dot, ".jpg") || !strcmp(dot, ".jpeg"));
}

int camera_add_mjpeg(struct camera *camera, const char *folder)
{
    struct format *format = &camera->formats[camera->format_count];
    format->kind = FORMAT_MJPEG;
    struct dirent **names;
    int count = scandir(folder, &names, is_jpeg_name, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct picture picture;
        uint16_t width, height;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        free(names[i]);
        if (read_file(path, &picture) || jpeg_size(&picture, &width, &height)) {
            fprintf(stderr, "uvc-camera: %s is no JPEG, left out\n", path);
            continue;
        }
        struct frame_size *size = size_of(format, width, height);
        if (size)
            add_picture(size, picture);
    }
    if (count >= 0)
        free(names);
    if (format->size_count == 0) {
        fprintf(stderr, "uvc-camera: no .jpg in %s\n", folder);
        return -1;
    }
    camera->format_count++;
    return 0;
}

/* Eight vertical bars that step sideways from frame to frame over a grey ramp. */
static void paint_pattern(uint8_t *yuyv, unsigned step)
{
    for (unsigned y = 0; y < YUYV_HEIGHT; y++)
        for (unsigned x = 0; x < YUYV_WIDTH; x += 2) {
            unsigned bar = (x / 80 + step) % 8;
            uint8_t *pair = yuyv + (y * YUYV_WIDTH + x) * 2;
            pair[0] = (uint8_t)(16 + bar * 20 + y / 8);
            pair[1] = (uint8_t)(64 + bar * 16);
            pair[2] = (uint8_t)(18 + bar * 20 + y / 8);
            pair[3] = (uint8_t)(192 - bar * 16);
        }
}

int camera_add_yuyv(struct camera *camera, const char *file)
{
    struct format *format = &camera->formats[camera->format_count];
    format->kind = FORMAT_YUYV;
    struct frame_size *size = size_of(format, YUYV_WIDTH, YUYV_HEIGHT);
    struct picture all = {malloc((size_t)YUYV_BYTES * PATTERN_FRAMES), 0};
    if (file) {
        free(all.bytes);
        if (read_file(file, &all) || all.length % YUYV_BYTES) {
            fprintf(stderr, "uvc-camera: %s holds no whole 640x480 YUYV frames\n", file);
            return -1;
        }
    } else {
        all.length = (size_t)YUYV_BYTES * PATTERN_FRAMES;
        for (unsigned i = 0; i < PATTERN_FRAMES; i++)
            paint_pattern(all.bytes + (size_t)i * YUYV_BYTES, i);
    }
    for (size_t at = 0; at < all.length; at += YUYV_BYTES)
        add_picture(size, (struct picture){all.bytes + at, YUYV_BYTES});
    camera->format_count++;
    return 0;
}

int camera_add_h264(struct camera *camera, const char *file)
{
    struct format *format = &camera->formats[camera->format_count];
    format->kind = FORMAT_H264;
    struct frame_size *size = NULL;
    struct picture all, unit;
    if (read_file(file, &all)) {
        fprintf(stderr, "uvc-camera: %s cannot be read\n", file);
        return -1;
    }
    for (size_t at = 0; at < all.length; at += unit.length) {
        unit.bytes = all.bytes + at;
        unit.length = h264_unit_length(unit.bytes, all.length - at);
        uint16_t width, height;
        if (!size && h264_begins(unit.bytes, unit.length) &&
            !h264_size(unit.bytes, unit.length, &width, &height))
            size = size_of(format, width, height);
        if (!size)
            continue;
        add_picture(size, unit);
        if (size->largest < unit.length)
            size->largest = (uint32_t)unit.length;
    }
    if (!size) {
        fprintf(stderr, "uvc-camera: no IDR picture with SPS and PPS in %s\n", file);
        return -1;
    }
    camera->format_count++;
    return 0;
}

uint16_t camera_uvc_version(const struct camera *camera)
{
    for (unsigned i = 0; i < camera->format_count; i++)
        if (camera->formats[i].kind == FORMAT_H264)
            return 0x0110;
    return 0x0100;
}
