/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cffmpeg.h"

#include "forward.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
    /* Its parameters are const in later versions only. */
    __typeof__(avio_alloc_context) *avio_alloc_context;
} table;
FORMAT_FUNCTIONS(FORWARD)
FORMAT_PROCEDURES(FORWARD_PROCEDURE)
static const struct clinux_function format_functions[] = {
    FORMAT_FUNCTIONS(FIND_FUNCTION)
    FORMAT_PROCEDURES(FIND_PROCEDURE)
    FIND(avio_alloc_context)
};

const char *cffmpeg_load_formats(void) {
    return OPEN("avformat", LIBAVFORMAT_VERSION_MAJOR, format_functions);
}

/* The formats of cameras, phones and the web; none of them names other files. */
static const char formats[] =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpegts,mpeg,avi,flv,asf,ogg,mp3,aac,ac3,eac3,flac,wav,w64,aiff,au,amr,"
    "caf,ivf,obu,mjpeg,mpjpeg,h264,hevc,m4v,gif,apng,webp_pipe,jpeg_pipe,png_pipe,srt,webvtt,ass";
enum { buffer_size = 64 << 10, patience_ms = 100, most_streams = 64 };

static int is_stopped(void *opaque) { return ((struct cffmpeg_reader *)opaque)->is_stopped; }

static int read_bytes(void *opaque, uint8_t *buffer, int size) {
    struct cffmpeg_reader *reader = opaque;
    ssize_t count;
    do {
        if (reader->is_stopped) return AVERROR_EXIT;
        if (reader->is_seekable) {
            count = pread(reader->descriptor, buffer, (size_t)size, reader->position);
        } else {
            struct pollfd one = {.fd = reader->descriptor, .events = POLLIN};
            if (poll(&one, 1, patience_ms) == 0) continue;
            count = read(reader->descriptor, buffer, (size_t)size);
        }
        if (count >= 0) break;
    } while (errno == EINTR || errno == EAGAIN);
    if (count < 0) return AVERROR(errno);
    reader->position += count;
    return count == 0 ? AVERROR_EOF : (int)count;
}

static int64_t seek_bytes(void *opaque, int64_t offset, int from) {
    struct cffmpeg_reader *reader = opaque;
    struct stat status;
    if (fstat(reader->descriptor, &status) != 0) return AVERROR(errno);
    switch (from & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return status.st_size;
    case SEEK_SET: break;
    case SEEK_CUR: offset += reader->position; break;
    case SEEK_END: offset += status.st_size; break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0) return AVERROR(EINVAL);
    return reader->position = offset;
}

static int refuse(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    (void)format, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}

int cffmpeg_open_reader(struct cffmpeg_reader *reader, int descriptor, const char *name) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return AVERROR(errno);
    *reader = (struct cffmpeg_reader){.descriptor = descriptor, .is_seekable = S_ISREG(status.st_mode)};
    uint8_t *buffer = av_malloc(buffer_size);
    AVIOContext *io = buffer ? table.avio_alloc_context(
        buffer, buffer_size, 0, reader, read_bytes, NULL, reader->is_seekable ? seek_bytes : NULL) : NULL;
    AVFormatContext *format = io ? avformat_alloc_context() : NULL;
    AVDictionary *options = NULL;
    int code = AVERROR(ENOMEM);
    if (format) {
        format->pb = io;
        format->io_open = refuse;
        format->interrupt_callback = (AVIOInterruptCB){is_stopped, reader};
        format->max_streams = most_streams;
        code = av_dict_set(&options, "format_whitelist", formats, 0);
        if (code >= 0) code = av_dict_set(&options, "protocol_whitelist", "", 0);
        /* A failure frees the context. */
        if (code >= 0) code = avformat_open_input(&format, name, NULL, &options);
        av_dict_free(&options);
        if (code >= 0) code = avformat_find_stream_info(format, NULL);
    }
    if (code >= 0) {
        reader->format = format;
        return 0;
    }
    if (format) avformat_close_input(&format);
    if (io) {
        av_freep(&io->buffer);
        avio_context_free(&io);
    } else {
        av_freep(&buffer);
    }
    return code;
}

void cffmpeg_close_reader(struct cffmpeg_reader *reader) {
    if (!reader->format) return;
    AVIOContext *io = reader->format->pb;
    avformat_close_input(&reader->format);
    av_freep(&io->buffer);
    avio_context_free(&io);
}

int cffmpeg_read(struct cffmpeg_reader *reader, AVPacket *packet) { return av_read_frame(reader->format, packet); }

int cffmpeg_seek(struct cffmpeg_reader *reader, int stream, int64_t time) {
    return avformat_seek_file(reader->format, stream, INT64_MIN, time, time, 0);
}

int64_t cffmpeg_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT < AV_VERSION_INT(57, 30, 100)
    return frame->pkt_duration;
#else
    return frame->duration;
#endif
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
