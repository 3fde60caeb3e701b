/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names follow "USB Device Class Definition for Video Devices", revision 1.0a and 1.1. */
#include "descriptors.h"
#include "gadget.h"
#include "little-endian.h"

#include <string.h>
#include <linux/usb/video.h>

enum { CLASS_VIDEO = 0x0e, STRING_MAKER = 1, STRING_PRODUCT = 2, STRING_SERIAL = 3 };
enum { CONTROL_INTERFACE = 0, STREAMING_INTERFACE = 1, USB_TERMINAL = 2 };

struct writer {
    uint8_t *start, *at;
};

static void put8(struct writer *w, unsigned value) { *w->at++ = (uint8_t)value; }
static void put16(struct writer *w, uint16_t value) { set16(w->at, value); w->at += 2; }
static void put32(struct writer *w, uint32_t value) { set32(w->at, value); w->at += 4; }

/* Sets a total, which is known only at the end of what it counts; that begins at `start`. */
static void set_total(const struct writer *w, uint8_t *start, size_t at)
{
    set16(start + at, (uint16_t)(w->at - start));
}

static void put_bytes(struct writer *w, const uint8_t *bytes, size_t count)
{
    memcpy(w->at, bytes, count);
    w->at += count;
}
#define PUT(w, ...) put_bytes(w, (const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__})

static void put_control_interface(struct writer *w, uint16_t version)
{
    int video_standards = version >= 0x0110; /* a field of UVC 1.1: none */
    PUT(w, 9, USB_DT_INTERFACE, CONTROL_INTERFACE, 0, 0, CLASS_VIDEO, UVC_SC_VIDEOCONTROL, 0, 0);
    uint8_t *header = w->at;
    PUT(w, 13, USB_DT_CS_INTERFACE, UVC_VC_HEADER);
    put16(w, version);  /* bcdUVC */
    put16(w, 0);        /* total, set below */
    put32(w, UVC_CLOCK_HERTZ);
    PUT(w, 1, STREAMING_INTERFACE);
    PUT(w, 18, USB_DT_CS_INTERFACE, UVC_VC_INPUT_TERMINAL, CAMERA_TERMINAL);
    put16(w, UVC_ITT_CAMERA);
    /* No focal lengths. The controls: exposure mode and time, focus, zoom, automatic focus. */
    PUT(w, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0x2a, 0x02, 0x02);
    PUT(w, (uint8_t)(11 + video_standards), USB_DT_CS_INTERFACE, UVC_VC_PROCESSING_UNIT,
        PROCESSING_UNIT, CAMERA_TERMINAL, 0, 0);
    /* The controls: brightness, contrast, white balance; backlight, gain, power line, automatic
     * white balance. */
    PUT(w, 2, 0x43, 0x17, 0);
    if (video_standards)
        put8(w, 0);
    PUT(w, 9, USB_DT_CS_INTERFACE, UVC_VC_OUTPUT_TERMINAL, USB_TERMINAL);
    put16(w, UVC_TT_STREAMING);
    PUT(w, 0, PROCESSING_UNIT, 0);
    set_total(w, header, 5);
}

/* The descriptor types of each kind of format, and the GUID of those that have one. */
static const struct {
    uint8_t format, format_bytes, frame, guid[17];
} kinds[] = {
    [FORMAT_MJPEG] = {UVC_VS_FORMAT_MJPEG, 11, UVC_VS_FRAME_MJPEG, ""},
    [FORMAT_YUYV] = {UVC_VS_FORMAT_UNCOMPRESSED, 27, UVC_VS_FRAME_UNCOMPRESSED,
                     "YUY2\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"},
    [FORMAT_H264] = {UVC_VS_FORMAT_FRAME_BASED, 28, UVC_VS_FRAME_FRAME_BASED,
                     "H264\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"},
};
enum { GUID_BYTES = 16 };

static void put_frame(struct writer *w, const struct frame_size *size, unsigned number,
                      enum format_kind kind)
{
    uint32_t bits = size->largest * 8;
    PUT(w, 26 + 4 * INTERVAL_COUNT, USB_DT_CS_INTERFACE, kinds[kind].frame);
    PUT(w, (uint8_t)number, 0);
    put16(w, size->width);
    put16(w, size->height);
    put32(w, bits * 15); /* slowest and fastest bit rate */
    put32(w, bits * 30);
    if (kind != FORMAT_H264)
        put32(w, size->largest); /* a frame-based format reports it in the probe only */
    put32(w, frame_intervals[0]);
    put8(w, INTERVAL_COUNT);
    if (kind == FORMAT_H264)
        put32(w, 0); /* a line has no fixed number of bytes */
    for (unsigned i = 0; i < INTERVAL_COUNT; i++)
        put32(w, frame_intervals[i]);
}

static void put_format(struct writer *w, const struct format *format, unsigned number)
{
    PUT(w, kinds[format->kind].format_bytes, USB_DT_CS_INTERFACE, kinds[format->kind].format);
    PUT(w, (uint8_t)number, (uint8_t)format->size_count);
    if (format->kind == FORMAT_MJPEG) {
        PUT(w, 1, 1, 0, 0, 0, 0);
    } else {
        put_bytes(w, kinds[format->kind].guid, GUID_BYTES);
        PUT(w, 16, 1, 0, 0, 0, 0);
        if (format->kind == FORMAT_H264)
            put8(w, 1); /* frames vary in size */
    }
    for (unsigned i = 0; i < format->size_count; i++)
        put_frame(w, &format->sizes[i], i + 1, format->kind);
    /* BT.709 primaries and transfer, BT.601 matrix, as cameras of this kind report. */
    PUT(w, 6, USB_DT_CS_INTERFACE, UVC_VS_COLORFORMAT, 1, 1, 4);
}

static void put_streaming_interface(struct writer *w, const struct camera *camera)
{
    PUT(w, 9, USB_DT_INTERFACE, STREAMING_INTERFACE, 0, 1, CLASS_VIDEO, UVC_SC_VIDEOSTREAMING,
        0, 0);
    uint8_t *header = w->at;
    PUT(w, (uint8_t)(13 + camera->format_count), USB_DT_CS_INTERFACE, UVC_VS_INPUT_HEADER,
        (uint8_t)camera->format_count);
    put16(w, 0); /* total, set below */
    PUT(w, STREAM_ENDPOINT, 0, USB_TERMINAL, 0, 0, 0, 1);
    for (unsigned i = 0; i < camera->format_count; i++)
        put8(w, 0); /* no per-format controls */
    for (unsigned i = 0; i < camera->format_count; i++)
        put_format(w, &camera->formats[i], i + 1);
    set_total(w, header, 4);
    PUT(w, USB_DT_ENDPOINT_SIZE, USB_DT_ENDPOINT, STREAM_ENDPOINT, USB_ENDPOINT_XFER_BULK);
    put16(w, BULK_PACKET_BYTES);
    put8(w, 0);
}

static void put_configuration(struct writer *w, const struct camera *camera)
{
    uint8_t *configuration = w->at;
    PUT(w, USB_DT_CONFIG_SIZE, USB_DT_CONFIG, 0, 0, 2, 1, 0, USB_CONFIG_ATT_ONE, 250);
    PUT(w, 8, USB_DT_INTERFACE_ASSOCIATION, 0, 2, CLASS_VIDEO, UVC_SC_VIDEO_INTERFACE_COLLECTION,
        0, STRING_PRODUCT);
    put_control_interface(w, camera_uvc_version(camera));
    put_streaming_interface(w, camera);
    set_total(w, configuration, 2);
}

static void put_device(struct writer *w)
{
    PUT(w, USB_DT_DEVICE_SIZE, USB_DT_DEVICE, 0, 2, 0xef, 2, 1, 64);
    put16(w, 0x1d6b); /* Linux Foundation */
    put16(w, 0x0102);
    put16(w, 0x0100);
    PUT(w, STRING_MAKER, STRING_PRODUCT, STRING_SERIAL, 1);
}

static void put_string(struct writer *w, const struct camera *camera, unsigned index)
{
    const char *texts[] = {"", "Vitrine", "Virtual Board Camera", camera->serial};
    if (index == 0) {
        PUT(w, 4, USB_DT_STRING, 0x09, 0x04); /* the only language: English */
        return;
    }
    const char *text = index <= STRING_SERIAL ? texts[index] : "";
    PUT(w, (uint8_t)(2 + 2 * strlen(text)), USB_DT_STRING);
    for (; *text; text++)
        put16(w, (uint8_t)*text);
}

int descriptor_answer(const struct camera *camera, uint16_t value, uint8_t *out, size_t room)
{
    uint8_t scratch[1024];
    struct writer w = {scratch, scratch};
    switch (value >> 8) {
    case USB_DT_DEVICE: put_device(&w); break;
    case USB_DT_CONFIG: put_configuration(&w, camera); break;
    case USB_DT_STRING: put_string(&w, camera, value & 0xff); break;
    case USB_DT_DEVICE_QUALIFIER:
        PUT(&w, 10, USB_DT_DEVICE_QUALIFIER, 0, 2, 0xef, 2, 1, 64, 1, 0);
        break;
    default: return -1;
    }
    size_t length = (size_t)(w.at - w.start);
    if (length > room)
        length = room;
    memcpy(out, scratch, length);
    return (int)length;
}
