/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "control.h"
#include "descriptors.h"
#include "little-endian.h"

#include <string.h>
#include <linux/usb/video.h>

/* Offsets in the probe and commit block. UVC 1.0's block ends before the clock. */
enum {
    AT_FORMAT = 2, AT_FRAME = 3, AT_INTERVAL = 4, AT_FRAME_BYTES = 18, AT_PAYLOAD_BYTES = 22,
    AT_CLOCK = 26, AT_FRAMING = 30,
};
enum { FRAMING_ID = 1, FRAMING_END = 2 }; /* payload headers tell frames apart, and their ends */

static size_t block_bytes(const struct camera *camera)
{
    return camera_uvc_version(camera) < 0x0110 ? AT_CLOCK : PROBE_BYTES;
}

static unsigned clamp(unsigned value, unsigned most)
{
    return value < 1 ? 1 : value > most ? most : value;
}

/* Turns the host's request into what the camera will do, as negotiation demands. */
static void settle(const struct camera *camera, uint8_t *block)
{
    block[AT_FORMAT] = (uint8_t)clamp(block[AT_FORMAT], camera->format_count);
    const struct format *format = &camera->formats[block[AT_FORMAT] - 1];
    block[AT_FRAME] = (uint8_t)clamp(block[AT_FRAME], format->size_count);
    const struct frame_size *size = &format->sizes[block[AT_FRAME] - 1];
    /* The slowest rate that is at least as fast as the requested one. */
    uint32_t wanted = get32(block + AT_INTERVAL), interval = frame_intervals[0];
    for (unsigned i = 0; i < INTERVAL_COUNT; i++)
        if (wanted >= frame_intervals[i])
            interval = frame_intervals[i];
    set32(block + AT_INTERVAL, interval);
    set32(block + AT_FRAME_BYTES, size->largest);
    set32(block + AT_PAYLOAD_BYTES, size->largest + UVC_PAYLOAD_HEADER_BYTES);
    set32(block + AT_CLOCK, UVC_CLOCK_HERTZ);
    block[AT_FRAMING] = FRAMING_ID | FRAMING_END;
}

void control_init(struct control *control)
{
    memset(control->probe, 0, sizeof control->probe);
    control->probe[0] = 1; /* hint: the frame interval must be kept */
    settle(control->camera, control->probe);
    settings_init(&control->settings);
    memcpy(control->committed, control->probe, sizeof control->committed);
}

/* MIN and MAX are the ends of the negotiable range, DEF is the camera's initial choice. */
static void range_block(const struct control *control, uint8_t request, uint8_t *block)
{
    memcpy(block, control->probe, PROBE_BYTES);
    if (request == UVC_GET_CUR)
        return;
    if (request == UVC_GET_DEF)
        block[AT_FORMAT] = block[AT_FRAME] = 1;
    set32(block + AT_INTERVAL,
          frame_intervals[request == UVC_GET_MAX ? INTERVAL_COUNT - 1 : 0]);
    settle(control->camera, block);
}

static void set_current(struct control *control, const struct usb_ctrlrequest *request)
{
    uint8_t block[64] = {0};
    int commit = le16toh(request->wValue) >> 8 == UVC_VS_COMMIT_CONTROL;
    if (le16toh(request->wLength) > sizeof block) {
        gadget_refuse(control->gadget);
        return;
    }
    if (gadget_take(control->gadget, block, le16toh(request->wLength)) < 0)
        return;
    settle(control->camera, block);
    memcpy(commit ? control->committed : control->probe, block, PROBE_BYTES);
    if (commit) {
        const struct format *format = &control->camera->formats[block[AT_FORMAT] - 1];
        stream_start(control->stream, &format->sizes[block[AT_FRAME] - 1],
                     get32(block + AT_INTERVAL));
    }
}

static void handle_class(struct control *control, const struct usb_ctrlrequest *request)
{
    unsigned selector = le16toh(request->wValue) >> 8;
    size_t room = le16toh(request->wLength);
    if (settings_handle(&control->settings, control->gadget, request))
        return;
    uint8_t answer[PROBE_BYTES] = {0};
    size_t length = block_bytes(control->camera);
    int streaming = (le16toh(request->wIndex) & 0xff) == 1;
    if (!streaming || (selector != UVC_VS_PROBE_CONTROL && selector != UVC_VS_COMMIT_CONTROL)) {
        gadget_refuse(control->gadget);
        return;
    }
    switch (request->bRequest) {
    case UVC_SET_CUR: set_current(control, request); return;
    case UVC_GET_LEN: answer[0] = (uint8_t)length; length = 2; break;
    case UVC_GET_INFO: answer[0] = 3; length = 1; break; /* GET and SET are supported */
    case UVC_GET_CUR: case UVC_GET_MIN: case UVC_GET_MAX: case UVC_GET_DEF:
        if (selector == UVC_VS_COMMIT_CONTROL)
            memcpy(answer, control->committed, PROBE_BYTES);
        else
            range_block(control, request->bRequest, answer);
        break;
    default: gadget_refuse(control->gadget); return;
    }
    gadget_answer(control->gadget, answer, length < room ? length : room);
}

static void handle_standard(struct control *control, const struct usb_ctrlrequest *request)
{
    uint8_t answer[1024] = {0};
    size_t room = le16toh(request->wLength);
    int length;
    switch (request->bRequest) {
    case USB_REQ_GET_DESCRIPTOR:
        length = descriptor_answer(control->camera, le16toh(request->wValue), answer,
                                   room < sizeof answer ? room : sizeof answer);
        if (length < 0)
            gadget_refuse(control->gadget);
        else
            gadget_answer(control->gadget, answer, (size_t)length);
        break;
    case USB_REQ_SET_CONFIGURATION:
        if (control->stream->endpoint < 0)
            control->stream->endpoint = gadget_enable_stream(control->gadget);
        gadget_take(control->gadget, NULL, 0);
        break;
    case USB_REQ_SET_INTERFACE:
        stream_stop(control->stream);
        gadget_take(control->gadget, NULL, 0);
        break;
    case USB_REQ_GET_INTERFACE: gadget_answer(control->gadget, answer, 1); break;
    default: gadget_refuse(control->gadget);
    }
}

void control_handle(struct control *control, const struct usb_ctrlrequest *request)
{
    switch (request->bRequestType & USB_TYPE_MASK) {
    case USB_TYPE_STANDARD: handle_standard(control, request); break;
    case USB_TYPE_CLASS: handle_class(control, request); break;
    default: gadget_refuse(control->gadget);
    }
}
