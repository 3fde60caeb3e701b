/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The camera's settings: exposure, focus, zoom, white balance, … None of them changes the
 * picture. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <linux/usb/ch9.h>
#include <stdint.h>

enum { SETTING_COUNT = 12 };

struct settings {
    int32_t values[SETTING_COUNT];
};

void settings_init(struct settings *settings);
/* Answers a class request about a setting; returns 0 if it is about something else. */
int settings_handle(struct settings *settings, int gadget, const struct usb_ctrlrequest *request);

#endif
