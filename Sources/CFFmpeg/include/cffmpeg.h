/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libavcodec, libswresample and libavutil under their own names, found when they are first needed: linking them costs 135
 * libraries at every start. The few functions that Vitrine calls are defined here and hand on to the library's;
 * none may be called before cffmpeg_load has answered NULL. What Swift cannot see, macros and unions of
 * rationals, is here too. */
#ifndef CFFMPEG_H
#define CFFMPEG_H

#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

/* Opens the libraries of the headers' major versions. NULL when they are there, else why not; the text stays.
 * Not for two threads at a time. */
const char *cffmpeg_load(void);

/* Opens libavfilter, which needs the others: as cffmpeg_load. */
const char *cffmpeg_load_filters(void);

/* Filters through which pictures go one after the other, each of which comes out at once. */
struct cffmpeg_graph {
    AVFilterGraph *graph;
    AVFilterContext *source, *sink;
};
/* 0 or an error; `filters` as ffmpeg's -vf has them. */
int cffmpeg_open_graph(
    struct cffmpeg_graph *out, int width, int height, enum AVPixelFormat format, const char *filters);
/* Takes `in` away, whose memory nobody refers to when the first filter is `copy`. */
int cffmpeg_run_graph(struct cffmpeg_graph *graph, AVFrame *in, AVFrame *out);
void cffmpeg_close_graph(struct cffmpeg_graph *graph);

/* AVERROR(EAGAIN): give or take something first. */
extern const int cffmpeg_again;
extern const int cffmpeg_end_of_file;
extern const int cffmpeg_global_header;
extern const int cffmpeg_low_delay;
/* AV_EF_EXPLODE: what is damaged is an error. */
extern const int cffmpeg_explode;

/* The usual layout of one channel or two. */
AVChannelLayout cffmpeg_layout(int channels);

/* From interleaved 16-bit samples to planar floats, with compensation for clocks that differ; NULL without memory. */
struct SwrContext *cffmpeg_resampler(int channels, int rate);

/* swr_convert of interleaved samples. */
int cffmpeg_resample(struct SwrContext *resampler, uint8_t **out, int room, const uint8_t *in, int count);

/* A buffer of somebody else's memory, which outlives all that refer to it. */
AVBufferRef *cffmpeg_borrow(uint8_t *bytes, size_t count);

#endif
