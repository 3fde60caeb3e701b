/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cffmpeg.h"

#include "forward.h"
#include <stdio.h>

const int cffmpeg_again = AVERROR(EAGAIN);
const int cffmpeg_end_of_file = AVERROR_EOF;
const int cffmpeg_exit = AVERROR_EXIT;
const int cffmpeg_invalid_data = AVERROR_INVALIDDATA;
const int64_t cffmpeg_no_time = AV_NOPTS_VALUE;
const int cffmpeg_low_delay = AV_CODEC_FLAG_LOW_DELAY;
const int cffmpeg_explode = AV_EF_EXPLODE;
const int cffmpeg_global_header = AV_CODEC_FLAG_GLOBAL_HEADER;

#define CODEC_FUNCTIONS(X) \
    X(const AVCodec *, avcodec_find_encoder_by_name, (const char *name), (name)) \
    X(const AVCodec *, avcodec_find_decoder_by_name, (const char *name), (name)) \
    X(int, avcodec_send_packet, (AVCodecContext *c, const AVPacket *packet), (c, packet)) \
    X(int, avcodec_receive_frame, (AVCodecContext *c, AVFrame *frame), (c, frame)) \
    X(int, av_packet_ref, (AVPacket *to, const AVPacket *from), (to, from)) \
    X(int, av_new_packet, (AVPacket *packet, int size), (packet, size)) \
    X(AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec)) \
    X(int, avcodec_open2, (AVCodecContext *c, const AVCodec *codec, AVDictionary **o), (c, codec, o)) \
    X(int, avcodec_send_frame, (AVCodecContext *c, const AVFrame *frame), (c, frame)) \
    X(int, avcodec_receive_packet, (AVCodecContext *c, AVPacket *packet), (c, packet)) \
    X(int, avcodec_parameters_to_context, (AVCodecContext *c, const AVCodecParameters *p), (c, p)) \
    X(const AVCodec *, avcodec_find_decoder, (enum AVCodecID id), (id)) \
    X(const char *, avcodec_get_name, (enum AVCodecID id), (id)) \
    X(int, avcodec_parameters_copy, (AVCodecParameters *to, const AVCodecParameters *from), (to, from)) \
    X(const AVBitStreamFilter *, av_bsf_get_by_name, (const char *name), (name)) \
    X(int, av_bsf_alloc, (const AVBitStreamFilter *filter, AVBSFContext **out), (filter, out)) \
    X(int, av_bsf_init, (AVBSFContext *c), (c)) \
    X(int, av_bsf_send_packet, (AVBSFContext *c, AVPacket *packet), (c, packet)) \
    X(int, av_bsf_receive_packet, (AVBSFContext *c, AVPacket *packet), (c, packet)) \
    X(AVPacket *, av_packet_alloc, (void), ())
#define CODEC_PROCEDURES(X) \
    X(av_bsf_flush, (AVBSFContext *c), (c)) \
    X(av_bsf_free, (AVBSFContext **c), (c)) \
    X(avsubtitle_free, (AVSubtitle *subtitle), (subtitle)) \
    X(avcodec_flush_buffers, (AVCodecContext *c), (c)) \
    X(avcodec_free_context, (AVCodecContext **c), (c)) \
    X(av_packet_move_ref, (AVPacket *to, AVPacket *from), (to, from)) \
    X(av_packet_free, (AVPacket **packet), (packet)) \
    X(av_packet_unref, (AVPacket *packet), (packet))
#define UTIL_FUNCTIONS(X) \
    X(AVFrame *, av_frame_alloc, (void), ()) \
    X(AVBufferRef *, av_buffer_create, \
      (uint8_t *data, size_t size, void (*end)(void *, uint8_t *), void *opaque, int flags), \
      (data, size, end, opaque, flags)) \
    X(int, av_dict_set, (AVDictionary **d, const char *key, const char *value, int flags), \
      (d, key, value, flags)) \
    X(int, av_frame_get_buffer, (AVFrame *frame, int align), (frame, align)) \
    X(void *, av_malloc, (size_t size), (size)) \
    X(AVDictionaryEntry *, av_dict_get, \
      (const AVDictionary *d, const char *key, const AVDictionaryEntry *last, int flags), \
      (d, key, last, flags)) \
    X(int, av_frame_make_writable, (AVFrame *frame), (frame)) \
    X(int, av_opt_set_int, (void *object, const char *name, int64_t value, int flags), \
      (object, name, value, flags)) \
    X(int, av_strerror, (int code, char *text, size_t size), (code, text, size))
#define UTIL_PROCEDURES(X) \
    X(av_frame_free, (AVFrame **frame), (frame)) \
    X(av_frame_unref, (AVFrame *frame), (frame)) \
    X(av_frame_move_ref, (AVFrame *to, AVFrame *from), (to, from)) \
    X(av_freep, (void *pointer), (pointer)) \
    X(av_dict_free, (AVDictionary **d), (d)) \
    X(av_log_set_level, (int level), (level))

/* Functions of a library that is opened only when filters are needed. */
#define FILTER_FUNCTIONS(X) \
    X(AVFilterGraph *, avfilter_graph_alloc, (void), ()) \
    X(int, avfilter_graph_config, (AVFilterGraph *g, void *log), (g, log)) \
    X(AVFilterContext *, avfilter_graph_get_filter, (AVFilterGraph *g, const char *name), (g, name)) \
    X(int, av_buffersrc_add_frame_flags, (AVFilterContext *s, AVFrame *frame, int flags), (s, frame, flags)) \
    X(int, av_buffersink_get_frame, (AVFilterContext *s, AVFrame *frame), (s, frame)) \
    X(int, avfilter_graph_parse2, \
      (AVFilterGraph *g, const char *text, AVFilterInOut **in, AVFilterInOut **out), (g, text, in, out))
#define FILTER_PROCEDURES(X) \
    X(avfilter_graph_free, (AVFilterGraph **g), (g)) \
    X(avfilter_inout_free, (AVFilterInOut **list), (list))

#define RESAMPLE_FUNCTIONS(X) \
    X(int, swr_init, (struct SwrContext *s), (s)) \
    X(int64_t, swr_get_delay, (struct SwrContext *s, int64_t base), (s, base)) \
    X(int, swr_set_compensation, (struct SwrContext *s, int delta, int distance), (s, delta, distance))
#define RESAMPLE_PROCEDURES(X) X(swr_free, (struct SwrContext **s), (s))

static struct {
    CODEC_FUNCTIONS(DECLARE)
    CODEC_PROCEDURES(DECLARE_PROCEDURE)
    UTIL_FUNCTIONS(DECLARE)
    RESAMPLE_FUNCTIONS(DECLARE)
    RESAMPLE_PROCEDURES(DECLARE_PROCEDURE)
    FILTER_FUNCTIONS(DECLARE)
    FILTER_PROCEDURES(DECLARE_PROCEDURE)
    /* Their parameters are const in later versions only. */
    __typeof__(swr_alloc_set_opts2) *swr_alloc_set_opts2;
    __typeof__(swr_convert) *swr_convert;
    __typeof__(avcodec_decode_subtitle2) *avcodec_decode_subtitle2;
    UTIL_PROCEDURES(DECLARE_PROCEDURE)
} table;

CODEC_FUNCTIONS(FORWARD)
CODEC_PROCEDURES(FORWARD_PROCEDURE)
UTIL_FUNCTIONS(FORWARD)
RESAMPLE_FUNCTIONS(FORWARD)
RESAMPLE_PROCEDURES(FORWARD_PROCEDURE)
UTIL_PROCEDURES(FORWARD_PROCEDURE)
FILTER_FUNCTIONS(FORWARD)
FILTER_PROCEDURES(FORWARD_PROCEDURE)

static const struct clinux_function util_functions[] = {
    UTIL_FUNCTIONS(FIND_FUNCTION)
    UTIL_PROCEDURES(FIND_PROCEDURE)
};
static const struct clinux_function codec_functions[] = {
    CODEC_FUNCTIONS(FIND_FUNCTION)
    CODEC_PROCEDURES(FIND_PROCEDURE)
    FIND(avcodec_decode_subtitle2)
};
static const struct clinux_function resample_functions[] = {
    RESAMPLE_FUNCTIONS(FIND_FUNCTION)
    RESAMPLE_PROCEDURES(FIND_PROCEDURE)
    FIND(swr_alloc_set_opts2)
    FIND(swr_convert)
};
static const struct clinux_function filter_functions[] = {
    FILTER_FUNCTIONS(FIND_FUNCTION)
    FILTER_PROCEDURES(FIND_PROCEDURE)
};

const char *cffmpeg_load(void) {
    static int is_loaded;
    if (is_loaded) return NULL;
    const char *reason = OPEN("avutil", LIBAVUTIL_VERSION_MAJOR, util_functions);
    if (!reason) reason = OPEN("avcodec", LIBAVCODEC_VERSION_MAJOR, codec_functions);
    if (!reason) reason = OPEN("swresample", LIBSWRESAMPLE_VERSION_MAJOR, resample_functions);
    if (reason) return reason;
    /* Errors are reported by results, not by the log. */
    table.av_log_set_level(AV_LOG_QUIET);
    is_loaded = 1;
    return NULL;
}

const char *cffmpeg_load_filters(void) {
    return OPEN("avfilter", LIBAVFILTER_VERSION_MAJOR, filter_functions);
}

int cffmpeg_open_graph(
    struct cffmpeg_graph *out, int width, int height, enum AVPixelFormat format, const char *filters) {
    char text[512];
    AVFilterInOut *inputs = NULL, *outputs = NULL;
    snprintf(
        text, sizeof text, "buffer@in=video_size=%dx%d:pix_fmt=%d:time_base=1/1000000,%s,buffersink@out", width,
        height, format, filters);
    *out = (struct cffmpeg_graph){.graph = avfilter_graph_alloc()};
    int code = out->graph ? avfilter_graph_parse2(out->graph, text, &inputs, &outputs) : AVERROR(ENOMEM);
    avfilter_inout_free(&inputs);
    avfilter_inout_free(&outputs);
    if (code >= 0) code = avfilter_graph_config(out->graph, NULL);
    if (code >= 0) {
        out->source = avfilter_graph_get_filter(out->graph, "buffer@in");
        out->sink = avfilter_graph_get_filter(out->graph, "buffersink@out");
        if (!out->source || !out->sink) code = AVERROR_FILTER_NOT_FOUND;
    }
    if (code < 0) avfilter_graph_free(&out->graph);
    return code;
}

int cffmpeg_run_graph(struct cffmpeg_graph *graph, AVFrame *in, AVFrame *out) {
    int code = av_buffersrc_add_frame_flags(graph->source, in, 0);
    return code < 0 ? code : av_buffersink_get_frame(graph->sink, out);
}

void cffmpeg_close_graph(struct cffmpeg_graph *graph) { avfilter_graph_free(&graph->graph); }

static void keep(void *opaque, uint8_t *bytes) {
    (void)opaque;
    (void)bytes;
}

AVChannelLayout cffmpeg_layout(int channels) {
    AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO, stereo = AV_CHANNEL_LAYOUT_STEREO;
    return channels == 1 ? mono : stereo;
}

struct SwrContext *cffmpeg_resampler(int channels, int rate) {
    AVChannelLayout layout = cffmpeg_layout(channels);
    struct SwrContext *resampler = NULL;
    int code = table.swr_alloc_set_opts2(
        &resampler, &layout, AV_SAMPLE_FMT_FLTP, rate, &layout, AV_SAMPLE_FMT_S16, rate, 0, NULL);
    /* Resample even at one rate: otherwise nothing could be compensated later. */
    if (code >= 0) code = av_opt_set_int(resampler, "flags", SWR_FLAG_RESAMPLE, 0);
    if (code >= 0) code = swr_init(resampler);
    if (code < 0) swr_free(&resampler);
    return resampler;
}

int cffmpeg_resample(struct SwrContext *resampler, uint8_t **out, int room, const uint8_t *in, int count) {
    return table.swr_convert(resampler, out, room, in ? &in : NULL, count);
}

struct SwrContext *cffmpeg_sound_converter(const AVFrame *frame, int channels, int rate) {
    AVChannelLayout layout = cffmpeg_layout(channels);
    struct SwrContext *converter = NULL;
    int code = table.swr_alloc_set_opts2(
        &converter, &layout, AV_SAMPLE_FMT_S16, rate, &frame->ch_layout, frame->format, frame->sample_rate, 0, NULL);
    if (code >= 0) code = swr_init(converter);
    if (code < 0) swr_free(&converter);
    return converter;
}

int cffmpeg_convert_sound(struct SwrContext *converter, int16_t *out, int room, const AVFrame *frame) {
    uint8_t *planes[] = {(uint8_t *)out};
    return table.swr_convert(
        converter, planes, room, frame ? (const uint8_t **)frame->extended_data : NULL, frame ? frame->nb_samples : 0);
}

AVBufferRef *cffmpeg_borrow(uint8_t *bytes, size_t count) {
    return av_buffer_create(bytes, count, keep, NULL, AV_BUFFER_FLAG_READONLY);
}

int cffmpeg_decode_subtitle(AVCodecContext *c, AVSubtitle *out, int *has_result, AVPacket *packet) {
    return table.avcodec_decode_subtitle2(c, out, has_result, packet);
}
