/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cffmpeg.h"

#include "forward.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_FUNCTIONS(X) \
    X(AVFormatContext *, avformat_alloc_context, (void), ()) \
    X(int, avformat_open_input, \
      (AVFormatContext **c, const char *url, const AVInputFormat *format, AVDictionary **options), \
      (c, url, format, options)) \
    X(int, avformat_find_stream_info, (AVFormatContext *c, AVDictionary **options), (c, options)) \
    X(int, av_read_frame, (AVFormatContext *c, AVPacket *packet), (c, packet)) \
    X(int, avformat_seek_file, \
      (AVFormatContext *c, int stream, int64_t least, int64_t time, int64_t most, int flags), \
      (c, stream, least, time, most, flags))
#define FORMAT_PROCEDURES(X) \
    X(avformat_close_input, (AVFormatContext **c), (c)) \
    X(avio_context_free, (AVIOContext **io), (io))

static struct {
    FORMAT_FUNCTIONS(DECLARE)
    FORMAT_PROCEDURES(DECLARE_PROCEDURE)
    /* Their types differ between versions. */
    __typeof__(avio_alloc_context) *avio_alloc_context;
    __typeof__(av_find_input_format) *av_find_input_format;
} table;
FORMAT_FUNCTIONS(FORWARD)
FORMAT_PROCEDURES(FORWARD_PROCEDURE)
static const struct clinux_function format_functions[] = {
    FORMAT_FUNCTIONS(FIND_FUNCTION)
    FORMAT_PROCEDURES(FIND_PROCEDURE)
    FIND(avio_alloc_context)
    FIND(av_find_input_format)
};

const char *cffmpeg_load_formats(void) {
    return OPEN("avformat", LIBAVFORMAT_VERSION_MAJOR, format_functions);
}

/* The formats of cameras, phones and the web. */
static const char formats[] =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpegts,mpeg,avi,flv,asf,ogg,mp3,aac,ac3,eac3,flac,wav,w64,aiff,au,amr,"
    "caf,ivf,obu,mjpeg,mpjpeg,h264,hevc,m4v,gif,apng,webp_pipe,jpeg_pipe,png_pipe,srt,webvtt,ass,hls";
enum { buffer_size = 64 << 10, most_streams = 64 };

/* A source that a format reads from. */
struct opened {
    struct cffmpeg_source source;
    int64_t position;
};

static int is_stopped(void *opaque) {
    const struct opened *opened = opaque;
    return opened->source.is_stopped(opened->source.context);
}

static int read_bytes(void *opaque, uint8_t *buffer, int size) {
    struct opened *opened = opaque;
    int count = opened->source.read(opened->source.context, buffer, size);
    if (count > 0) opened->position += count;
    return count == 0 ? AVERROR_EOF : count;
}

static int64_t seek_bytes(void *opaque, int64_t offset, int from) {
    struct opened *opened = opaque;
    int64_t size = opened->source.size(opened->source.context);
    switch (from & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return size;
    case SEEK_SET: break;
    case SEEK_CUR: offset += opened->position; break;
    case SEEK_END:
        if (size < 0) return size;
        offset += size;
        break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0) return AVERROR(EINVAL);
    int code = opened->source.seek(opened->source.context, offset);
    return code < 0 ? code : (opened->position = offset);
}

/* Returns NULL without memory. */
static AVIOContext *bytes_of(const struct cffmpeg_source *source) {
    struct opened *opened = av_malloc(sizeof *opened);
    uint8_t *buffer = av_malloc(buffer_size);
    AVIOContext *io = NULL;
    if (opened && buffer) {
        *opened = (struct opened){.source = *source};
        io = table.avio_alloc_context(
            buffer, buffer_size, 0, opened, read_bytes, NULL, source->is_seekable ? seek_bytes : NULL);
    }
    if (!io) {
        av_freep(&buffer);
        av_freep(&opened);
    }
    return io;
}

static void release(AVIOContext *io) {
    av_freep(&io->opaque);
    av_freep(&io->buffer);
    avio_context_free(&io);
}

static const char *value_of(AVDictionary **options, const char *name) {
    const AVDictionaryEntry *entry = options ? av_dict_get(*options, name, NULL, 0) : NULL;
    return entry ? entry->value : NULL;
}

static int open_named(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    const struct opened *parent = format->opaque;
    struct cffmpeg_source source;
    if (flags & AVIO_FLAG_WRITE) return AVERROR(EPERM);
    const char *offset = value_of(options, "offset");
    struct cffmpeg_part part = {.url = url, .offset = offset ? strtoll(offset, NULL, 10) : 0};
    /* "crypto+" precedes the URL of what is encrypted, and "crypto:" its path. */
    static const char mark[] = "crypto";
    if (!strncmp(url, mark, sizeof mark - 1) && (url[sizeof mark - 1] == '+' || url[sizeof mark - 1] == ':')) {
        part.url = url + sizeof mark;
        part.key = value_of(options, "key");
        part.initialization_vector = value_of(options, "iv");
    }
    int code = parent->source.open(parent->source.context, &part, &source);
    if (code < 0) return code;
    *io = bytes_of(&source);
    if (*io) return 0;
    source.close(source.context);
    return AVERROR(ENOMEM);
}

static int close_named(AVFormatContext *format, AVIOContext *io) {
    (void)format;
    const struct opened *opened = io->opaque;
    opened->source.close(opened->source.context);
    release(io);
    return 0;
}

/* Takes no other format and no protocol; one connection for each part of a playlist. With that, the
 * ending of a part's URL does not matter. */
static int set_options(AVDictionary **options) {
    static const char *const values[][2] = {
        {"format_whitelist", formats}, {"protocol_whitelist", ""}, {"http_persistent", "0"}, {"http_multiple", "0"},
        {"extension_picky", "0"}, {"allowed_extensions", "ALL"}, {"allowed_segment_extensions", "ALL"},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        int code = av_dict_set(options, values[i][0], values[i][1], 0);
        if (code < 0) return code;
    }
    return 0;
}

int cffmpeg_open(
    AVFormatContext **out, const struct cffmpeg_source *source, const char *name, const char *format_name) {
    AVIOContext *io = bytes_of(source);
    AVFormatContext *format = io ? avformat_alloc_context() : NULL;
    const AVInputFormat *known = format_name ? table.av_find_input_format(format_name) : NULL;
    AVDictionary *options = NULL;
    int code = AVERROR(ENOMEM);
    if (format) {
        format->pb = io;
        format->opaque = io->opaque;
        format->io_open = open_named;
        format->io_close2 = close_named;
        format->interrupt_callback = (AVIOInterruptCB){is_stopped, io->opaque};
        format->max_streams = most_streams;
        code = set_options(&options);
        /* A failure frees the context. */
        if (code >= 0) code = avformat_open_input(&format, name, known, &options);
        av_dict_free(&options);
        if (code >= 0) code = avformat_find_stream_info(format, NULL);
    }
    if (code >= 0) {
        *out = format;
        return 0;
    }
    if (format) avformat_close_input(&format);
    if (io) release(io);
    return code;
}

void cffmpeg_close(AVFormatContext *format) {
    AVIOContext *io = format->pb;
    avformat_close_input(&format);
    release(io);
}

int cffmpeg_read(AVFormatContext *format, AVPacket *packet) { return av_read_frame(format, packet); }

int cffmpeg_seek(AVFormatContext *format, int stream, int64_t time) {
    return avformat_seek_file(format, stream, INT64_MIN, time, time, 0);
}

int64_t cffmpeg_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT < AV_VERSION_INT(57, 30, 100)
    return frame->pkt_duration;
#else
    return frame->duration;
#endif
}

const uint8_t *cffmpeg_captions(const AVFrame *frame, size_t *size) {
    for (int i = 0; i < frame->nb_side_data; i++)
        if (frame->side_data[i]->type == AV_FRAME_DATA_A53_CC) {
            *size = frame->side_data[i]->size;
            return frame->side_data[i]->data;
        }
    return NULL;
}

const int32_t *cffmpeg_display_matrix(const AVStream *stream) {
#if LIBAVFORMAT_VERSION_MAJOR < 61
    const AVPacketSideData *data = stream->side_data;
    int count = stream->nb_side_data;
#else
    const AVPacketSideData *data = stream->codecpar->coded_side_data;
    int count = stream->codecpar->nb_coded_side_data;
#endif
    for (int i = 0; i < count; i++)
        if (data[i].type == AV_PKT_DATA_DISPLAYMATRIX && data[i].size >= 9 * sizeof(int32_t))
            return (const int32_t *)data[i].data;
    return NULL;
}
