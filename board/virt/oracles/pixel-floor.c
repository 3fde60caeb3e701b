/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pixel-floor FRAMES FILE.jpg | pixel-floor FRAMES FILE.yuyv: measures the making of a frame's
 * pixels alone.
 *
 * TurboJPEG decodes a JPEG into planes of its own subsampling, which is what tjbench times; libyuv
 * converts a 640x480 YUYV frame to NV12. Prints the milliseconds of processor time per frame. A
 * yardstick for `bench preview`: nothing is captured or shown, and an error ends it.
 */
#define _GNU_SOURCE
#include <err.h>
#include <libyuv/convert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <turbojpeg.h>

enum { WARM_UP = 5, WIDTH = 640, HEIGHT = 480 };

static uint8_t *contents(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        err(1, "%s", path);
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*length);
    if (!bytes || fread(bytes, 1, *length, file) != *length)
        err(1, "%s", path);
    fclose(file);
    return bytes;
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

struct work {
    tjhandle decoder;
    uint8_t *source, *planes[3];
    size_t length;
    int width, height, strides[3];
};

static void prepare(struct work *work, const char *path)
{
    int subsampling = TJSAMP_422, color;
    work->source = contents(path, &work->length);
    work->width = WIDTH;
    work->height = HEIGHT;
    if (work->source[0] == 0xff) {
        work->decoder = tjInitDecompress();
        if (tjDecompressHeader3(work->decoder, work->source, work->length, &work->width, &work->height,
                                &subsampling, &color))
            errx(1, "%s: %s", path, tjGetErrorStr2(work->decoder));
    } else if (work->length < WIDTH * HEIGHT * 2) {
        errx(1, "%s: no 640x480 YUYV frame", path);
    }
    for (int plane = 0; plane < 3; plane++) {
        work->strides[plane] = plane && !work->decoder ? WIDTH : tjPlaneWidth(plane, work->width, subsampling);
        work->planes[plane] = malloc((size_t)work->strides[plane] * (size_t)work->height);
        if (!work->planes[plane])
            err(1, "memory");
        memset(work->planes[plane], 0, (size_t)work->strides[plane] * (size_t)work->height);
    }
}

static void make_pixels(struct work *work)
{
    int result;
    if (work->decoder)
        result = tjDecompressToYUVPlanes(work->decoder, work->source, work->length, work->planes, work->width,
                                         work->strides, work->height, 0);
    else
        result = YUY2ToNV12(work->source, WIDTH * 2, work->planes[0], work->strides[0], work->planes[1],
                            work->strides[1], WIDTH, HEIGHT);
    if (result)
        errx(1, "a frame cannot be made");
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 64;
    struct work work = {0};
    int frames = atoi(argv[1]);
    double start = 0;
    prepare(&work, argv[2]);
    for (int frame = -WARM_UP; frame < frames; frame++) {
        if (frame == 0)
            start = processor_time();
        make_pixels(&work);
    }
    printf("%.4f\n", (processor_time() - start) / frames);
    return 0;
}
