/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "streaming.h"
#include "descriptors.h"
#include "gadget.h"
#include "little-endian.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HEADER_END = 0x80, HEADER_SCR = 0x08, HEADER_PTS = 0x04, HEADER_LAST_PAYLOAD = 0x02 };

/* How far the clock goes back, in ticks of the camera's clock. */
enum { CLOCK_STEP = UVC_CLOCK_HERTZ / 10 * 3 };

static void wake(int signal) { (void)signal; }

/*
 * A host that stops a bulk stream simply stops asking, so a write may hang in the middle of an old
 * frame. A new session interrupts the write, repeatedly, because a signal that comes just before
 * the call would be lost.
 */
static void change_session(struct stream *s, const struct frame_size *size, uint32_t interval)
{
    pthread_mutex_lock(&s->lock);
    s->size = size;
    s->interval = interval;
    unsigned session = atomic_fetch_add(&s->session, 1) + 1;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    while (s->endpoint >= 0 && atomic_load(&s->seen) != session) {
        pthread_kill(s->thread, SIGUSR2);
        usleep(1000);
    }
}

void stream_start(struct stream *s, const struct frame_size *size, uint32_t interval)
{
    change_session(s, size, interval);
}

void stream_stop(struct stream *s)
{
    if (s->size)
        change_session(s, NULL, 0);
}

static int due(unsigned every, unsigned frame) { return every && frame % every == every - 1; }

/*
 * Writes the payload's header: when the frame was taken and what time it is now, both by the
 * camera's clock, and the bus's frame number (dummy_hcd's: milliseconds of the second). uvcvideo
 * uses them if its parameter hwtimestamps is set.
 */
static void put_header(uint8_t *header, unsigned frame, int goes_back)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint32_t ticks = (uint32_t)now.tv_sec * UVC_CLOCK_HERTZ +
                     (uint32_t)((uint64_t)now.tv_nsec * (UVC_CLOCK_HERTZ / 1000000) / 1000);
    header[0] = UVC_PAYLOAD_HEADER_BYTES;
    header[1] = (uint8_t)(HEADER_END | HEADER_SCR | HEADER_PTS | HEADER_LAST_PAYLOAD | (frame & 1));
    set32(header + 2, goes_back ? ticks - CLOCK_STEP : ticks);
    set32(header + 6, ticks);
    set16(header + 10, (uint16_t)(now.tv_nsec / 1000000));
}

/* Sends one frame as one payload. Returns 0, or -1 if the session ended meanwhile. */
static int send_frame(struct stream *s, unsigned session, const struct picture *picture,
                      unsigned frame)
{
    static struct transfer transfer;
    size_t length = picture->length, sent = 0;
    bool doomed = atomic_load(&s->doomed);
    if (due(s->faults.truncate, frame))
        length /= 2;
    size_t used = UVC_PAYLOAD_HEADER_BYTES;
    put_header(transfer.data, frame, due(s->faults.clock_back, frame));
    do {
        size_t part = length - sent;
        if (part > TRANSFER_BYTES - used)
            part = TRANSFER_BYTES - used;
        memcpy(transfer.data + used, picture->bytes + sent, part);
        if (due(s->faults.garbage, frame))
            memset(transfer.data + used, 0xa5, part);
        sent += part;
        if (gadget_write(s->gadget, s->endpoint, &transfer, used + part, sent == length) < 0 ||
            atomic_load(&s->session) != session)
            return -1;
        /* Every transfer but the last consists of whole packets: the host waits for more. */
        if (doomed && sent >= length / 2)
            kill(getpid(), SIGKILL);
        used = 0;
    } while (sent < length);
    return 0;
}

static void add_nanoseconds(struct timespec *time, uint64_t nanoseconds)
{
    nanoseconds += (uint64_t)time->tv_nsec;
    time->tv_sec += (time_t)(nanoseconds / 1000000000u);
    time->tv_nsec = (long)(nanoseconds % 1000000000u);
}

static int earlier(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static void play(struct stream *s, unsigned session, const struct frame_size *size,
                 uint32_t interval)
{
    struct timespec next, now;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (unsigned frame = 0; atomic_load(&s->session) == session; frame++) {
        if (s->faults.stall_after && frame >= s->faults.stall_after) {
            usleep(10000);
            continue;
        }
        if (send_frame(s, session, &size->pictures[frame % size->picture_count], frame)) {
            if (errno != EINTR)
                usleep(10000); /* unplugged or reset: the control thread will say which */
            continue;
        }
        add_nanoseconds(&next, (uint64_t)interval * 100);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (earlier(&next, &now))
            next = now; /* the bus is slower than the rate: no bursts to catch up */
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
}

static void *stream_thread(void *argument)
{
    struct stream *s = argument;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        while (!s->size && atomic_load(&s->seen) == atomic_load(&s->session))
            pthread_cond_wait(&s->changed, &s->lock);
        unsigned session = atomic_load(&s->session);
        const struct frame_size *size = s->size;
        uint32_t interval = s->interval;
        atomic_store(&s->seen, session);
        pthread_mutex_unlock(&s->lock);
        if (size) {
            fprintf(stderr, "uvc-camera: streaming %ux%u at %.1f fps\n", size->width,
                    size->height, 1e7 / interval);
            play(s, session, size, interval);
        }
    }
    return NULL;
}

void stream_launch(struct stream *s)
{
    struct sigaction action = {.sa_handler = wake}; /* no SA_RESTART: it must interrupt */
    sigaction(SIGUSR2, &action, NULL);
    /* The signals that unplug and kill have to reach the main thread, which waits for events. */
    sigset_t ending, before;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &ending, &before);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->endpoint = -1;
    pthread_create(&s->thread, NULL, stream_thread, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
