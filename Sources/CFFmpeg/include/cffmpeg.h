/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libavcodec, libswresample and libavutil under their own names, opened when they are first
 * needed: linking them costs 135 libraries at every start. The few functions that Vitrine calls
 * are defined here and forward to the library's; none may be called before cffmpeg_load has
 * returned NULL. The macros and unions of rationals that Swift cannot import are here, too. */
#ifndef CFFMPEG_H
#define CFFMPEG_H

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

/* Opens the libraries of the headers' major versions. Returns NULL if they are there, otherwise
 * the reason, a text for this thread until its next call. Not for two threads at a time. */
const char *cffmpeg_load(void);

/* Opens libavfilter, which needs the others; returns what cffmpeg_load does. */
const char *cffmpeg_load_filters(void);

/* Opens libavformat, which needs libavcodec; returns what cffmpeg_load does. */
const char *cffmpeg_load_formats(void);

/* What a playlist names. */
struct cffmpeg_part {
    const char *url;
    /* The first byte that is wanted. */
    int64_t offset;
    /* For AES-128 in CBC mode, 32 hexadecimal digits each; NULL if the bytes are not encrypted. */
    const char *key, *initialization_vector;
};

/* Bytes that a caller provides. The functions are called on the thread that uses the reader; their
 * errors are negative. */
struct cffmpeg_source {
    void *context;
    /* Whether `seek` works. */
    int is_seekable;
    /* Reads 1 to `size` bytes; returns their number, or 0 at the end. */
    int (*read)(void *context, uint8_t *buffer, int size);
    /* Goes to an offset from the beginning. */
    int (*seek)(void *context, int64_t offset);
    /* Returns the number of all bytes, or an error if it is not known. */
    int64_t (*size)(void *context);
    int (*open)(void *context, const struct cffmpeg_part *part, struct cffmpeg_source *out);
    /* Releases what `open` has returned. */
    void (*close)(void *context);
    /* Whether everything is to end at once. */
    int (*is_stopped)(void *context);
};

/* Opens what a source has, and finds its streams. The source must stay valid until cffmpeg_close. No
 * format can open anything else, unless the source opens it. The ending of `name` may tell the
 * format; NULL as `format` looks for it. Returns 0, or an error. */
int cffmpeg_open(
    AVFormatContext **out, const struct cffmpeg_source *source, const char *name, const char *format);
void cffmpeg_close(AVFormatContext *format);
/* Reads the next packet of any stream. */
int cffmpeg_read(AVFormatContext *format, AVPacket *packet);
/* Goes to the last key frame of a stream whose time is not after `time`, in the stream's units. */
int cffmpeg_seek(AVFormatContext *format, int stream, int64_t time);
/* The nine numbers of a stream's display matrix; NULL if it has none. */
const int32_t *cffmpeg_display_matrix(const AVStream *stream);

/* Calls avcodec_decode_subtitle2. */
int cffmpeg_decode_subtitle(AVCodecContext *c, AVSubtitle *out, int *has_result, AVPacket *packet);

/* The closed captions that came with a picture; NULL if none did. */
const uint8_t *cffmpeg_captions(const AVFrame *frame, size_t *size);

/* How long a picture lasts in its stream's units; 0 if that is not known. */
int64_t cffmpeg_duration(const AVFrame *frame);

/* Filters that pictures pass one after the other; each picture comes out at once. */
struct cffmpeg_graph {
    AVFilterGraph *graph;
    AVFilterContext *source, *sink;
};
/* Returns 0 or an error; `filters` has the syntax of ffmpeg's -vf. */
int cffmpeg_open_graph(
    struct cffmpeg_graph *out, int width, int height, enum AVPixelFormat format, const char *filters);
/* Consumes `in`; no filter keeps a reference to its memory if the first filter is `copy`. */
int cffmpeg_run_graph(struct cffmpeg_graph *graph, AVFrame *in, AVFrame *out);
void cffmpeg_close_graph(struct cffmpeg_graph *graph);

/* AVERROR(EAGAIN): send or receive something first. */
extern const int cffmpeg_again;
extern const int cffmpeg_end_of_file;
extern const int cffmpeg_exit;
extern const int cffmpeg_invalid_data;
extern const int64_t cffmpeg_no_time;
extern const int cffmpeg_global_header;
extern const int cffmpeg_low_delay;
/* AV_EF_EXPLODE: damaged data is an error. */
extern const int cffmpeg_explode;

/* Returns the usual layout of one channel or two. */
AVChannelLayout cffmpeg_layout(int channels);

/* Returns a resampler from interleaved 16-bit samples to planar floats, which can compensate for
 * clocks that differ; NULL on failure. */
struct SwrContext *cffmpeg_resampler(int channels, int rate);

/* Calls swr_convert for interleaved samples. */
int cffmpeg_resample(struct SwrContext *resampler, uint8_t **out, int room, const uint8_t *in, int count);

/* Returns a converter of a decoded frame's sound to interleaved 16-bit samples; NULL on failure. It keeps equal
 * sound as it is. */
struct SwrContext *cffmpeg_sound_converter(const AVFrame *frame, int channels, int rate);

/* Converts a frame's sound, or at the end with NULL what the converter has kept, to at most `room` samples per
 * channel; the rest comes with the next call. Returns their number, or an error. */
int cffmpeg_convert_sound(struct SwrContext *converter, int16_t *out, int room, const AVFrame *frame);

/* Returns a buffer of borrowed memory, which must outlive all references to the buffer. */
AVBufferRef *cffmpeg_borrow(uint8_t *bytes, size_t count);

#endif
