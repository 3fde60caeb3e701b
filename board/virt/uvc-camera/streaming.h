/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread that plays pictures into the bulk endpoint at the committed rate. */
#ifndef STREAMING_H
#define STREAMING_H

#include "camera.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Every Nth frame is spoilt in this way; 0 means never. */
struct faults {
    unsigned truncate, garbage;
    unsigned clock_back; /* the camera's clock dates the frame 0.3 s too early */
    unsigned stall_after; /* falls silent after so many frames */
};

struct stream {
    int gadget, endpoint;
    struct faults faults;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const struct frame_size *size; /* NULL: not streaming */
    uint32_t interval;             /* 100 ns */
    atomic_uint session, seen;     /* number of starts and stops; the thread's latest */
    atomic_bool doomed;            /* SIGKILL in the middle of the next frame */
};

void stream_launch(struct stream *stream);
void stream_start(struct stream *stream, const struct frame_size *size, uint32_t interval);
void stream_stop(struct stream *stream);

#endif
