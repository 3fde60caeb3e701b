/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctiff.h"

#include "clinux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* The functions of tiffio.h that are called here, by the binary interface of libtiff.so.6. */
typedef struct tiff TIFF;
typedef ssize_t (*transfer)(void *, void *, ssize_t);
typedef void (*complaint)(const char *, const char *, void *);
static struct {
    TIFF *(*open)(const char *, const char *, void *, transfer, transfer, uint64_t (*)(void *, uint64_t, int),
                  int (*)(void *), uint64_t (*)(void *), int (*)(void *, void **, uint64_t *),
                  void (*)(void *, void *, uint64_t));
    void (*close)(TIFF *);
    int (*set_field)(TIFF *, uint32_t, ...);
    ssize_t (*write_strip)(TIFF *, uint32_t, void *, ssize_t);
    int (*write_directory)(TIFF *);
    const void *(*find_field)(TIFF *, uint32_t, int);
    int (*field_pass_count)(const void *);
    complaint (*set_error_handler)(complaint);
    complaint (*set_warning_handler)(complaint);
} tiff;

static const struct clinux_function functions[] = {
    {"TIFFClientOpen", &tiff.open},
    {"TIFFClose", &tiff.close},
    {"TIFFSetField", &tiff.set_field},
    {"TIFFWriteEncodedStrip", &tiff.write_strip},
    {"TIFFWriteDirectory", &tiff.write_directory},
    {"TIFFFindField", &tiff.find_field},
    {"TIFFFieldPassCount", &tiff.field_pass_count},
    {"TIFFSetErrorHandler", &tiff.set_error_handler},
    {"TIFFSetWarningHandler", &tiff.set_warning_handler},
};

const char *ctiff_load(void)
{
    static int is_loaded;
    if (is_loaded)
        return NULL;
    const char *reason =
        clinux_open_library("libtiff.so.6", "libtiff6", functions, sizeof functions / sizeof *functions);
    if (reason)
        return reason;
    tiff.set_error_handler(NULL);
    tiff.set_warning_handler(NULL);
    is_loaded = 1;
    return NULL;
}

/* A file in memory. */
struct file {
    uint8_t *bytes;
    size_t count, room, place;
};

static ssize_t read_file(void *context, void *target, ssize_t count)
{
    struct file *file = context;
    size_t left = file->place < file->count ? file->count - file->place : 0;
    size_t read = (size_t)count < left ? (size_t)count : left;
    memcpy(target, file->bytes + file->place, read);
    file->place += read;
    return (ssize_t)read;
}

static ssize_t write_file(void *context, void *source, ssize_t count)
{
    struct file *file = context;
    size_t end = file->place + (size_t)count;
    if (end > file->room) {
        size_t room = end + end / 2;
        uint8_t *bytes = realloc(file->bytes, room);
        if (!bytes)
            return -1;
        file->bytes = bytes;
        file->room = room;
    }
    if (file->place > file->count)
        memset(file->bytes + file->count, 0, file->place - file->count);
    memcpy(file->bytes + file->place, source, (size_t)count);
    file->place = end;
    if (end > file->count)
        file->count = end;
    return count;
}

static uint64_t seek_file(void *context, uint64_t place, int whence)
{
    struct file *file = context;
    file->place = place + (whence == SEEK_CUR ? file->place : whence == SEEK_END ? file->count : 0);
    return file->place;
}

static int close_file(void *context) { (void)context; return 0; }
static uint64_t size_of_file(void *context) { return ((struct file *)context)->count; }

/* TIFF 6.0, TIFF/EP and DNG 1.4. */
enum {
    IMAGE_WIDTH = 256, IMAGE_LENGTH = 257, BITS_PER_SAMPLE = 258, COMPRESSION = 259, PHOTOMETRIC = 262, MAKE = 271,
    MODEL = 272, ORIENTATION = 274, SAMPLES_PER_PIXEL = 277, ROWS_PER_STRIP = 278, PLANAR_CONFIG = 284, SOFTWARE = 305,
    DATE_TIME = 306, SUBFILE_TYPE = 254, CFA_REPEAT = 33421, CFA_PATTERN = 33422, DNG_VERSION = 50706,
    DNG_BACKWARD_VERSION = 50707, UNIQUE_CAMERA_MODEL = 50708, WHITE_LEVEL = 50717, COLOR_MATRIX_1 = 50721,
    AS_SHOT_NEUTRAL = 50728, CALIBRATION_ILLUMINANT_1 = 50778,
};

/* Sets an array: versions of libtiff.so.6 differ in which of these arrays take a count. */
static int set_array(TIFF *file, uint32_t tag, unsigned count, const void *values)
{
    const void *field = tiff.find_field(file, tag, 0);
    if (field && tiff.field_pass_count(field))
        return tiff.set_field(file, tag, count, values);
    return tiff.set_field(file, tag, values);
}

static int set_text(TIFF *file, uint32_t tag, const char *text)
{
    return !*text || tiff.set_field(file, tag, text);
}

static int describe(TIFF *file, const struct ctiff_raw *raw)
{
    enum { NONE = 1, CFA = 32803, CONTIGUOUS = 1 };
    static const uint8_t version[] = {1, 4, 0, 0}, reader[] = {1, 1, 0, 0};
    static const uint16_t square[] = {2, 2};
    const char *make = raw->texts, *model = strchr(make, 0) + 1;
    const char *software = strchr(model, 0) + 1, *time = strchr(software, 0) + 1;
    return tiff.set_field(file, SUBFILE_TYPE, 0) && tiff.set_field(file, IMAGE_WIDTH, raw->width) &&
           tiff.set_field(file, IMAGE_LENGTH, raw->height) && tiff.set_field(file, BITS_PER_SAMPLE, raw->bits) &&
           tiff.set_field(file, SAMPLES_PER_PIXEL, 1) && tiff.set_field(file, COMPRESSION, NONE) &&
           tiff.set_field(file, PHOTOMETRIC, CFA) && tiff.set_field(file, PLANAR_CONFIG, CONTIGUOUS) &&
           tiff.set_field(file, ROWS_PER_STRIP, raw->height) && tiff.set_field(file, ORIENTATION, raw->orientation) &&
           set_text(file, MAKE, make) && set_text(file, MODEL, model) &&
           set_text(file, SOFTWARE, software) && set_text(file, DATE_TIME, time) &&
           set_array(file, CFA_REPEAT, 2, square) && set_array(file, CFA_PATTERN, 4, raw->filters) &&
           set_array(file, DNG_VERSION, 4, version) && set_array(file, DNG_BACKWARD_VERSION, 4, reader) &&
           tiff.set_field(file, UNIQUE_CAMERA_MODEL, *model ? model : "Camera") &&
           set_array(file, WHITE_LEVEL, 1, &raw->white) && set_array(file, COLOR_MATRIX_1, 9, raw->from_xyz) &&
           set_array(file, AS_SHOT_NEUTRAL, 3, raw->neutral) &&
           tiff.set_field(file, CALIBRATION_ILLUMINANT_1, raw->illuminant);
}

int ctiff_write_dng(const struct ctiff_raw *raw, uint8_t **bytes, size_t *count)
{
    struct file memory = {0};
    TIFF *file = tiff.open("DNG", "w", &memory, read_file, write_file, seek_file, close_file, size_of_file, NULL, NULL);
    if (!file)
        return -1;
    ssize_t size = (ssize_t)raw->width * raw->height * (raw->bits / 8);
    int is_written = describe(file, raw) && tiff.write_strip(file, 0, (void *)raw->samples, size) == size &&
                     tiff.write_directory(file);
    tiff.close(file);
    if (!is_written) {
        free(memory.bytes);
        return -1;
    }
    *bytes = memory.bytes;
    *count = memory.count;
    return 0;
}

void ctiff_free(uint8_t *bytes) { free(bytes); }
