/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's raw-gadget device: the device side of a USB bus, one call per request. */
#ifndef GADGET_H
#define GADGET_H

#include <stddef.h>
#include <stdint.h>
#include <linux/usb/ch9.h>
#include <linux/usb/raw_gadget.h>

/* The kernel takes at most one page per transfer. */
enum { TRANSFER_BYTES = 4096, BULK_PACKET_BYTES = 512, STREAM_ENDPOINT = 0x81 };

struct transfer {
    struct usb_raw_ep_io header;
    uint8_t data[TRANSFER_BYTES];
};

struct control_event {
    struct usb_raw_event header;
    struct usb_ctrlrequest request;
};

int gadget_open(void);
int gadget_next_event(int gadget, struct control_event *event);
/* The control endpoint: answers an IN request, takes an OUT request's data, or refuses either. */
int gadget_answer(int gadget, const void *data, size_t length);
int gadget_take(int gadget, void *data, size_t length);
void gadget_refuse(int gadget);
/* Returns the streaming endpoint's handle, or -1; to be called after SET_CONFIGURATION. */
int gadget_enable_stream(int gadget);
/* Blocks until the host has fetched the data; -1 with EINTR if a signal ended the wait. */
int gadget_write(int gadget, int endpoint, struct transfer *transfer, size_t length, int last);

#endif
