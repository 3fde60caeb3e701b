/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libgpiod 1.6 (Debian 12) and 2.x (Debian 13) have different functions for the same kernel
 * requests. This shim has one function per request, whichever is installed. Results are as in
 * ioctl(2): negative with errno. */
#ifndef CGPIO_H
#define CGPIO_H

#include <stdint.h>

struct gpiod_chip;

struct cgpio_chip_info {
    char name[32];
    char label[32];
    uint32_t lines;
};

struct cgpio_line_info {
    char name[32];
    char consumer[32];
    int used;
};

/* One requested line. The first three members belong to the shim; cgpio_release closes fd. */
struct cgpio_request {
    void *owner;
    void *line;
    void *events;
    int fd;
    uint32_t offset;
};

struct cgpio_edge {
    int64_t timestamp_ns; /* CLOCK_MONOTONIC */
    int rising;           /* whether the logical level rose, after active-low */
};

enum cgpio_bias { cgpio_bias_as_is, cgpio_bias_pull_up, cgpio_bias_pull_down, cgpio_bias_disabled };

/* The most edges that one read returns. */
enum { cgpio_batch = 16 };

struct gpiod_chip *cgpio_open(const char *path);
void cgpio_close(struct gpiod_chip *chip);
int cgpio_chip_info(struct gpiod_chip *chip, struct cgpio_chip_info *out);
int cgpio_line_info(struct gpiod_chip *chip, uint32_t offset, struct cgpio_line_info *out);

/* Both edges are reported; the descriptor is non-blocking. */
int cgpio_request_input(
    const char *path, uint32_t offset, const char *consumer, int bias, int active_low,
    struct cgpio_request *out);
int cgpio_request_output(
    const char *path, uint32_t offset, const char *consumer, int active_low, int value,
    struct cgpio_request *out);
void cgpio_release(struct cgpio_request *request);

int cgpio_get_value(struct cgpio_request *request);
int cgpio_set_value(struct cgpio_request *request, int value);
/* Reads edges into `out`, which has room for cgpio_batch; returns how many, or -1 with EAGAIN. */
int cgpio_read_edges(struct cgpio_request *request, struct cgpio_edge *out);

#endif
