/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Swift cannot import libevdev's enumerations and input_event's timestamp (a macro that hides
 * two layouts) as numbers. One inline function per request; results are libevdev's: negative is
 * -errno. */
#ifndef CINPUT_H
#define CINPUT_H

#include <libevdev/libevdev-uinput.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <stdint.h>
#include <time.h>

struct cinput_event {
    uint16_t type, code;
    int32_t value;
    int64_t timestamp_ns;
};

enum { cinput_success = 0, cinput_sync = 1 };

/* Reads the next event or, with `resync`, the next difference from what was missed. */
static inline int cinput_next(struct libevdev *device, int resync, struct cinput_event *out) {
    struct input_event event;
    int result = libevdev_next_event(
        device, resync ? LIBEVDEV_READ_FLAG_SYNC : LIBEVDEV_READ_FLAG_NORMAL, &event);
    if (result < 0) return result;
    out->type = event.type;
    out->code = event.code;
    out->value = event.value;
    out->timestamp_ns =
        (int64_t)event.input_event_sec * 1000000000 + (int64_t)event.input_event_usec * 1000;
    return result == LIBEVDEV_READ_STATUS_SYNC ? cinput_sync : cinput_success;
}

static inline int cinput_grab(struct libevdev *device) {
    return libevdev_grab(device, LIBEVDEV_GRAB);
}

static inline int cinput_use_monotonic_clock(struct libevdev *device) {
    return libevdev_set_clock_id(device, CLOCK_MONOTONIC);
}

static const uint16_t cinput_type_key = EV_KEY;
static const uint16_t cinput_key_count = KEY_CNT;

#endif
