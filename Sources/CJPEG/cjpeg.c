/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cjpeg.h"

#include <jerror.h>
#include <setjmp.h>
#include <stdlib.h>

enum { BLOCK = DCTSIZE, MOST_ROWS = BLOCK * MAX_SAMP_FACTOR };

struct cjpeg_compressor {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    size_t room;
    int is_begun;
    jmp_buf failed;
    char complaint[JMSG_LENGTH_MAX];
};

static void fail(j_common_ptr jpeg)
{
    struct cjpeg_compressor *compressor = jpeg->client_data;
    jpeg->err->format_message(jpeg, compressor->complaint);
    longjmp(compressor->failed, 1);
}

static void say_nothing(j_common_ptr jpeg) { (void)jpeg; }

/* The caller's buffer is all there is. */
static void begin_buffer(j_compress_ptr jpeg) { (void)jpeg; }
static boolean refuse_more(j_compress_ptr jpeg) { ERREXIT(jpeg, JERR_BUFFER_SIZE); return FALSE; }
static void end_buffer(j_compress_ptr jpeg) { (void)jpeg; }

static int create(struct cjpeg_compressor *compressor)
{
    if (setjmp(compressor->failed))
        return -1;
    jpeg_create_compress(&compressor->jpeg);
    return 0;
}

struct cjpeg_compressor *cjpeg_create(void)
{
    struct cjpeg_compressor *compressor = calloc(1, sizeof *compressor);
    if (!compressor)
        return NULL;
    struct jpeg_compress_struct *jpeg = &compressor->jpeg;
    jpeg->client_data = compressor;
    jpeg->err = jpeg_std_error(&compressor->errors);
    compressor->errors.error_exit = fail;
    compressor->errors.output_message = say_nothing;
    if (create(compressor) < 0) {
        cjpeg_destroy(compressor);
        return NULL;
    }
    compressor->destination.init_destination = begin_buffer;
    compressor->destination.empty_output_buffer = refuse_more;
    compressor->destination.term_destination = end_buffer;
    jpeg->dest = &compressor->destination;
    return compressor;
}

void cjpeg_destroy(struct cjpeg_compressor *compressor)
{
    jpeg_destroy_compress(&compressor->jpeg);
    free(compressor);
}

/* Ends a picture that has failed or was abandoned; returns -1. */
static int end(struct cjpeg_compressor *compressor)
{
    compressor->is_begun = 0;
    jpeg_abort_compress(&compressor->jpeg);
    return -1;
}

/* Fails if there are too many rows, for which libjpeg only warns. */
static void expect_rows(struct cjpeg_compressor *compressor)
{
    struct jpeg_compress_struct *jpeg = &compressor->jpeg;
    if (!compressor->is_begun || jpeg->next_scanline >= jpeg->image_height)
        ERREXIT1(jpeg, JERR_BAD_STATE, jpeg->global_state);
}

int cjpeg_has_avx2(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") != 0;
#else
    return 0;
#endif
}

int cjpeg_start(struct cjpeg_compressor *compressor, const struct cjpeg_picture *picture, uint8_t *bytes, size_t room)
{
    struct jpeg_compress_struct *jpeg = &compressor->jpeg;
    int is_planar = picture->input == JCS_YCbCr || picture->input == JCS_GRAYSCALE;
    if (setjmp(compressor->failed))
        return end(compressor);
    end(compressor);
    compressor->destination.next_output_byte = bytes;
    compressor->destination.free_in_buffer = compressor->room = room;
    jpeg->image_width = picture->width;
    jpeg->image_height = picture->height;
    jpeg->in_color_space = picture->input;
    jpeg->input_components = picture->input == JCS_GRAYSCALE ? 1 : picture->input == JCS_EXT_BGRX ? 4 : 3;
    jpeg_set_defaults(jpeg);
    jpeg_set_colorspace(jpeg, picture->is_grey ? JCS_GRAYSCALE : JCS_YCbCr);
    jpeg_set_quality(jpeg, picture->quality, TRUE);
    jpeg->dct_method = picture->transform;
    jpeg->raw_data_in = is_planar;
    if (!picture->is_grey) {
        jpeg->comp_info[0].h_samp_factor = picture->across;
        jpeg->comp_info[0].v_samp_factor = picture->down;
    }
    jpeg_start_compress(jpeg, TRUE);
    compressor->is_begun = 1;
    return 0;
}

int cjpeg_write_planes(struct cjpeg_compressor *compressor, struct cjpeg_plane y, struct cjpeg_plane u,
                       struct cjpeg_plane v)
{
    struct jpeg_compress_struct *jpeg = &compressor->jpeg;
    const struct cjpeg_plane planes[3] = {y, u, v};
    JSAMPROW rows[3][MOST_ROWS];
    JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
    if (setjmp(compressor->failed))
        return end(compressor);
    expect_rows(compressor);
    int left = (int)(jpeg->image_height - jpeg->next_scanline);
    for (int component = 0; component < jpeg->num_components; component++) {
        int height = jpeg->comp_info[component].v_samp_factor;
        /* Rows that the last blocks lack repeat the last row. */
        int last = (left * height + jpeg->max_v_samp_factor - 1) / jpeg->max_v_samp_factor - 1;
        for (int row = 0; row < height * BLOCK; row++)
            rows[component][row] =
                (JSAMPROW)planes[component].first + (ptrdiff_t)planes[component].stride * (row < last ? row : last);
    }
    jpeg_write_raw_data(jpeg, arrays, (JDIMENSION)(jpeg->max_v_samp_factor * BLOCK));
    return 0;
}

int cjpeg_write_pixels(struct cjpeg_compressor *compressor, struct cjpeg_plane pixels, int rows)
{
    if (setjmp(compressor->failed))
        return end(compressor);
    for (int row = 0; row < rows; row++) {
        expect_rows(compressor);
        JSAMPROW start = (JSAMPROW)pixels.first + (ptrdiff_t)pixels.stride * row;
        jpeg_write_scanlines(&compressor->jpeg, &start, 1);
    }
    return 0;
}

size_t cjpeg_finish(struct cjpeg_compressor *compressor)
{
    if (setjmp(compressor->failed)) {
        end(compressor);
        return 0;
    }
    if (!compressor->is_begun)
        ERREXIT1(&compressor->jpeg, JERR_BAD_STATE, compressor->jpeg.global_state);
    jpeg_finish_compress(&compressor->jpeg);
    compressor->is_begun = 0;
    return compressor->room - compressor->destination.free_in_buffer;
}

const char *cjpeg_complaint(const struct cjpeg_compressor *compressor) { return compressor->complaint; }
