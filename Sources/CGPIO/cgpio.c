/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cgpio.h"

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void copy_text(char out[32], const char *text) {
    snprintf(out, 32, "%s", text ? text : "");
}

static int make_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

struct gpiod_chip *cgpio_open(const char *path) { return gpiod_chip_open(path); }
void cgpio_close(struct gpiod_chip *chip) { gpiod_chip_close(chip); }

#ifdef GPIOD_LINE_BULK_MAX_LINES /* libgpiod 1 */

_Static_assert(cgpio_batch <= 16, "libgpiod 1 reads at most 16 events at once");

int cgpio_chip_info(struct gpiod_chip *chip, struct cgpio_chip_info *out) {
    copy_text(out->name, gpiod_chip_name(chip));
    copy_text(out->label, gpiod_chip_label(chip));
    out->lines = gpiod_chip_num_lines(chip);
    return 0;
}

int cgpio_line_info(struct gpiod_chip *chip, uint32_t offset, struct cgpio_line_info *out) {
    struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
    if (!line) return -1;
    copy_text(out->name, gpiod_line_name(line));
    copy_text(out->consumer, gpiod_line_consumer(line));
    out->used = gpiod_line_is_used(line);
    return 0;
}

static int request_flags(int bias, int active_low) {
    static const int biases[] = {
        [cgpio_bias_as_is] = 0,
        [cgpio_bias_pull_up] = GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP,
        [cgpio_bias_pull_down] = GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN,
        [cgpio_bias_disabled] = GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE,
    };
    return biases[bias] | (active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0);
}

/* Opens the line, with its chip as owner, which must stay open as long as the line is used. */
static struct gpiod_line *open_line(
    const char *path, uint32_t offset, struct cgpio_request *out) {
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) return NULL;
    struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
    if (!line) {
        int code = errno;
        gpiod_chip_close(chip);
        errno = code;
        return NULL;
    }
    *out = (struct cgpio_request){.owner = chip, .line = line, .fd = -1, .offset = offset};
    return line;
}

static int fail(struct cgpio_request *request) {
    int code = errno;
    cgpio_release(request);
    errno = code;
    return -1;
}

int cgpio_request_input(
    const char *path, uint32_t offset, const char *consumer, int bias, int active_low,
    struct cgpio_request *out) {
    struct gpiod_line *line = open_line(path, offset, out);
    if (!line) return -1;
    int flags = request_flags(bias, active_low);
    if (gpiod_line_request_both_edges_events_flags(line, consumer, flags) < 0) return fail(out);
    out->fd = gpiod_line_event_get_fd(line);
    if (out->fd < 0 || make_nonblocking(out->fd) < 0) return fail(out);
    return 0;
}

int cgpio_request_output(
    const char *path, uint32_t offset, const char *consumer, int active_low, int value,
    struct cgpio_request *out) {
    struct gpiod_line *line = open_line(path, offset, out);
    if (!line) return -1;
    int flags = request_flags(cgpio_bias_as_is, active_low);
    if (gpiod_line_request_output_flags(line, consumer, flags, value) < 0) return fail(out);
    return 0;
}

/* Closing the chip releases its lines. */
void cgpio_release(struct cgpio_request *request) { gpiod_chip_close(request->owner); }

int cgpio_get_value(struct cgpio_request *request) { return gpiod_line_get_value(request->line); }
int cgpio_set_value(struct cgpio_request *request, int value) {
    return gpiod_line_set_value(request->line, value);
}

int cgpio_read_edges(struct cgpio_request *request, struct cgpio_edge *out) {
    struct gpiod_line_event events[cgpio_batch];
    int count = gpiod_line_event_read_fd_multiple(request->fd, events, cgpio_batch);
    for (int i = 0; i < count; i++) {
        out[i].timestamp_ns = (int64_t)events[i].ts.tv_sec * 1000000000 + events[i].ts.tv_nsec;
        out[i].rising = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
    }
    return count;
}

#else /* libgpiod 2 */

int cgpio_chip_info(struct gpiod_chip *chip, struct cgpio_chip_info *out) {
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (!info) return -1;
    copy_text(out->name, gpiod_chip_info_get_name(info));
    copy_text(out->label, gpiod_chip_info_get_label(info));
    out->lines = gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
    return 0;
}

int cgpio_line_info(struct gpiod_chip *chip, uint32_t offset, struct cgpio_line_info *out) {
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
    if (!info) return -1;
    copy_text(out->name, gpiod_line_info_get_name(info));
    copy_text(out->consumer, gpiod_line_info_get_consumer(info));
    out->used = gpiod_line_info_is_used(info);
    gpiod_line_info_free(info);
    return 0;
}

/* The number of unread edges that the kernel keeps; its default is 16. */
enum { kernel_buffer = 256 };

static struct gpiod_line_request *request_line(
    const char *path, uint32_t offset, const char *consumer, struct gpiod_line_settings *settings) {
    struct gpiod_line_request *request = NULL;
    struct gpiod_chip *chip = gpiod_chip_open(path);
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_request_config *config = gpiod_request_config_new();
    if (chip && lines && config
        && gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0) {
        gpiod_request_config_set_consumer(config, consumer);
        gpiod_request_config_set_event_buffer_size(config, kernel_buffer);
        request = gpiod_chip_request_lines(chip, config, lines);
    }
    int code = errno;
    if (config) gpiod_request_config_free(config);
    if (lines) gpiod_line_config_free(lines);
    if (chip) gpiod_chip_close(chip);
    errno = code;
    return request;
}

/* Frees the settings. */
static int request_with(
    const char *path, uint32_t offset, const char *consumer, struct gpiod_line_settings *settings,
    struct cgpio_request *out) {
    struct gpiod_line_request *request = request_line(path, offset, consumer, settings);
    int code = errno;
    gpiod_line_settings_free(settings);
    errno = code;
    if (!request) return -1;
    *out = (struct cgpio_request){
        .owner = request, .fd = gpiod_line_request_get_fd(request), .offset = offset};
    return 0;
}

int cgpio_request_input(
    const char *path, uint32_t offset, const char *consumer, int bias, int active_low,
    struct cgpio_request *out) {
    static const enum gpiod_line_bias biases[] = {
        [cgpio_bias_as_is] = GPIOD_LINE_BIAS_AS_IS,
        [cgpio_bias_pull_up] = GPIOD_LINE_BIAS_PULL_UP,
        [cgpio_bias_pull_down] = GPIOD_LINE_BIAS_PULL_DOWN,
        [cgpio_bias_disabled] = GPIOD_LINE_BIAS_DISABLED,
    };
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (!settings) return -1;
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
    gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
    gpiod_line_settings_set_bias(settings, biases[bias]);
    gpiod_line_settings_set_active_low(settings, active_low);
    if (request_with(path, offset, consumer, settings, out) < 0) return -1;
    out->events = gpiod_edge_event_buffer_new(cgpio_batch);
    if (out->events && make_nonblocking(out->fd) == 0) return 0;
    int code = errno;
    cgpio_release(out);
    errno = code;
    return -1;
}

int cgpio_request_output(
    const char *path, uint32_t offset, const char *consumer, int active_low, int value,
    struct cgpio_request *out) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (!settings) return -1;
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
    gpiod_line_settings_set_active_low(settings, active_low);
    gpiod_line_settings_set_output_value(
        settings, value ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
    return request_with(path, offset, consumer, settings, out);
}

void cgpio_release(struct cgpio_request *request) {
    gpiod_line_request_release(request->owner);
    if (request->events) gpiod_edge_event_buffer_free(request->events);
}

int cgpio_get_value(struct cgpio_request *request) {
    return gpiod_line_request_get_value(request->owner, request->offset);
}

int cgpio_set_value(struct cgpio_request *request, int value) {
    return gpiod_line_request_set_value(
        request->owner, request->offset,
        value ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
}

int cgpio_read_edges(struct cgpio_request *request, struct cgpio_edge *out) {
    int count = gpiod_line_request_read_edge_events(request->owner, request->events, cgpio_batch);
    for (int i = 0; i < count; i++) {
        struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(request->events, i);
        out[i].timestamp_ns = gpiod_edge_event_get_timestamp_ns(event);
        out[i].rising = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
    }
    return count;
}

#endif
