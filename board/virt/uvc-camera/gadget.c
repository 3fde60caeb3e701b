/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gadget.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int gadget_open(void)
{
    struct usb_raw_init init = {
        .driver_name = "dummy_udc",
        .device_name = "dummy_udc.0",
        .speed = USB_SPEED_HIGH,
    };
    int gadget = open("/dev/raw-gadget", O_RDWR | O_CLOEXEC);
    if (gadget < 0) {
        perror("uvc-camera: /dev/raw-gadget");
        return -1;
    }
    if (ioctl(gadget, USB_RAW_IOCTL_INIT, &init) || ioctl(gadget, USB_RAW_IOCTL_RUN, 0)) {
        perror("uvc-camera: cannot start dummy_udc.0 (is another gadget running?)");
        close(gadget);
        return -1;
    }
    return gadget;
}

int gadget_next_event(int gadget, struct control_event *event)
{
    memset(event, 0, sizeof *event);
    event->header.length = sizeof event->request;
    return ioctl(gadget, USB_RAW_IOCTL_EVENT_FETCH, event);
}

int gadget_answer(int gadget, const void *data, size_t length)
{
    struct transfer transfer = {.header.length = (uint32_t)length};
    memcpy(transfer.data, data, length);
    return ioctl(gadget, USB_RAW_IOCTL_EP0_WRITE, &transfer);
}

int gadget_take(int gadget, void *data, size_t length)
{
    struct transfer transfer = {.header.length = (uint32_t)length};
    int got = ioctl(gadget, USB_RAW_IOCTL_EP0_READ, &transfer);
    if (got > 0 && data)
        memcpy(data, transfer.data, (size_t)got);
    return got;
}

void gadget_refuse(int gadget)
{
    ioctl(gadget, USB_RAW_IOCTL_EP0_STALL, 0);
}

int gadget_enable_stream(int gadget)
{
    struct usb_endpoint_descriptor endpoint = {
        .bLength = USB_DT_ENDPOINT_SIZE,
        .bDescriptorType = USB_DT_ENDPOINT,
        .bEndpointAddress = STREAM_ENDPOINT,
        .bmAttributes = USB_ENDPOINT_XFER_BULK,
        .wMaxPacketSize = BULK_PACKET_BYTES,
    };
    int handle = ioctl(gadget, USB_RAW_IOCTL_EP_ENABLE, &endpoint);
    ioctl(gadget, USB_RAW_IOCTL_VBUS_DRAW, 250);
    ioctl(gadget, USB_RAW_IOCTL_CONFIGURE, 0);
    return handle;
}

int gadget_write(int gadget, int endpoint, struct transfer *transfer, size_t length, int last)
{
    transfer->header.ep = (uint16_t)endpoint;
    transfer->header.length = (uint32_t)length;
    /* A payload ends with a short packet; full packets need an empty one after them. */
    transfer->header.flags =
        last && length % BULK_PACKET_BYTES == 0 ? USB_RAW_IO_FLAGS_ZERO : 0;
    return ioctl(gadget, USB_RAW_IOCTL_EP_WRITE, transfer);
}
