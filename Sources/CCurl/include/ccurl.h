/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libcurl's multi interface, opened at the first transfer: it loads thirty libraries, which the
 * kiosk itself never needs. */
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

/* Opens the library. Returns NULL if it is there, otherwise the reason, a text for this thread
 * until its next call. Not for two threads at a time. */
const char *ccurl_load(void);

/* A GET request. Everything is copied, except `context`. */
struct ccurl_request {
    const char *url;
    /* "Name: value" each. */
    const char *const *headers;
    size_t header_count;
    const char *user_agent;
    /* NULL: as in the environment (https_proxy, no_proxy). */
    const char *proxy;
    /* A PEM file of the only certificates to trust; NULL: the system's. */
    const char *ca_file;
    /* Whether the server may compress the body, which arrives decompressed. */
    int allows_encoding;
    /* The transfer ends after this time without a connection, or below the least bytes per
     * second. */
    long connect_s, stall_s, least_bytes;
    void *context;
    /* A line of the headers, of each response: those of redirects come first. */
    void (*header)(const char *line, size_t count, void *context);
    /* A piece of the body, and its URL after all redirects. Returns 0 to end the transfer. */
    int (*body)(const uint8_t *bytes, size_t count, const char *url, void *context);
};

enum ccurl_outcome {
    CCURL_COMPLETE,
    CCURL_UNREACHABLE,
    /* The server's certificate, or the file of trusted ones, is wrong. */
    CCURL_CERTIFICATE,
    /* The time of connect_s or stall_s has passed. */
    CCURL_STALLED,
    /* `body` returned 0. */
    CCURL_ENDED_HERE,
    CCURL_BROKEN,
};

/* How a transfer has ended. The texts belong to the transfer. */
struct ccurl_end_report {
    void *transfer;
    enum ccurl_outcome outcome;
    const char *reason;
    /* The URL after all redirects. */
    const char *url;
};

/* Returns a set of transfers for one thread; NULL without memory. None of these functions may be
 * called before ccurl_load has returned NULL. */
void *ccurl_open(void);
void ccurl_close(void *set);

/* Begins a transfer; NULL without memory. */
void *ccurl_begin(void *set, const struct ccurl_request *request);
/* Ends a transfer, also before its own end. */
void ccurl_end(void *set, void *transfer);

/* Moves the bytes that have come. */
void ccurl_move(void *set);
/* Waits for bytes or ccurl_wake(), at most a minute. Call it only after all ends were taken. */
void ccurl_wait(void *set);
/* Returns 1 and how a transfer has ended, or 0. */
int ccurl_next_end(void *set, struct ccurl_end_report *end);
/* Ends the wait of ccurl_wait(), or the next one. Any thread. */
void ccurl_wake(void *set);

/* Returns seconds since 1970 of a date in HTTP's forms; negative if it is none. */
int64_t ccurl_date(const char *text);

#endif
