/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the camera can be set: exposure, focus, zoom, white balance, … Nothing of it changes the picture. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <linux/usb/ch9.h>
#include <stdint.h>

enum { SETTING_COUNT = 12 };

struct settings {
    int32_t values[SETTING_COUNT];
};

void settings_init(struct settings *settings);
/* Answers a class request that is about a setting; 0 when it is not. */
int settings_handle(struct settings *settings, int gadget, const struct usb_ctrlrequest *request);

#endif
