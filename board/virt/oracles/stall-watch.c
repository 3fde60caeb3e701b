// SPDX-License-Identifier: GPL-3.0-or-later
// stall-watch: reports which processor of this machine was stalled, and when. A thread on each
// processor, which only a stall of that processor can delay (SCHED_FIFO, where that is allowed),
// wakes every 5 ms. If it is more than 15 ms late, a line of JSON says from when to when, in
// microseconds of CLOCK_MONOTONIC. Says "watching" on stderr; runs until it is killed.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_US = 5000, LATE_US = 15000 };

static int64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static void *watch(void *argument) {
    int cpu = (int)(intptr_t)argument;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    struct sched_param first = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
    if (sched_setaffinity(0, sizeof only, &only) ||
        (sched_setscheduler(0, SCHED_FIFO, &first) && errno != EPERM)) {
        perror("stall-watch");
        exit(77);
    }
    for (int64_t due = now_us() + PERIOD_US;; due += PERIOD_US) {
        struct timespec until = {due / 1000000, due % 1000000 * 1000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL)) {}
        int64_t woken = now_us();
        if (woken - due <= LATE_US) continue;
        printf("{\"cpu\": %d, \"fromMicroseconds\": %lld, \"untilMicroseconds\": %lld}\n", cpu, (long long)due,
               (long long)woken);
        due = woken;
    }
    return NULL;
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    fprintf(stderr, "watching\n");
    for (int cpu = 1; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, watch, (void *)(intptr_t)cpu)) return 71;
    }
    watch(NULL);
}
