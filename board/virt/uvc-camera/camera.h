/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The emulated camera's formats, their frame sizes, and the pictures that it plays. */
#ifndef CAMERA_H
#define CAMERA_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_SIZES = 4, MAX_FORMATS = 3 };

struct picture {
    uint8_t *bytes;
    size_t length;
};

/* One frame size of one format, with the pictures that are played in it repeatedly. */
struct frame_size {
    uint16_t width, height;
    uint32_t largest; /* bytes of the largest picture the host must be ready for */
    struct picture *pictures;
    unsigned picture_count;
};

enum format_kind { FORMAT_MJPEG, FORMAT_YUYV, FORMAT_H264 };

/* Formats and sizes are numbered from 1 on the wire; index 0 here is number 1 there. */
struct format {
    enum format_kind kind;
    struct frame_size sizes[MAX_SIZES];
    unsigned size_count;
};

struct camera {
    struct format formats[MAX_FORMATS];
    unsigned format_count;
    const char *serial;
};

/* The camera's UVC version: 1.1 if it has a frame-based format, otherwise 1.0. */
uint16_t camera_uvc_version(const struct camera *camera);

/* 30 and 15 frames per second, in UVC's unit of 100 ns. The first is the default. */
enum { INTERVAL_COUNT = 2 };
extern const uint32_t frame_intervals[INTERVAL_COUNT];

/* Adds an MJPEG format from a folder of .jpg files, one frame size per picture size found. */
int camera_add_mjpeg(struct camera *camera, const char *folder);

/* Adds 640x480 YUYV: raw frames from `file`, or a moving generated pattern if it is NULL. */
int camera_add_yuyv(struct camera *camera, const char *file);

/* Adds H.264 from an Annex B stream, an access unit per picture, starting with its first IDR
 * picture. */
int camera_add_h264(struct camera *camera, const char *file);

#endif
