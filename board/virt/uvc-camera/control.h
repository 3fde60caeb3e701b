/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers the host's control requests: descriptors, configuration, probe and commit. */
#ifndef CONTROL_H
#define CONTROL_H

#include "camera.h"
#include "gadget.h"
#include "settings.h"
#include "streaming.h"

/* The size of UVC 1.1's probe and commit block. */
enum { PROBE_BYTES = 34 };

struct control {
    int gadget;
    const struct camera *camera;
    struct stream *stream;
    uint8_t probe[PROBE_BYTES], committed[PROBE_BYTES];
    struct settings settings;
};

void control_init(struct control *control);
void control_handle(struct control *control, const struct usb_ctrlrequest *request);

#endif
