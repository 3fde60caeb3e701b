/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds devices of the network and controls them with GUPnP, which is opened when it is first needed.
 * None of the other functions may be called before cgupnp_load has returned NULL. */
#ifndef CGUPNP_H
#define CGUPNP_H

#include <stddef.h>

/* Opens the libraries. Returns NULL, or the reason: a text for this thread until its next call. Not for
 * two threads at a time. */
const char *cgupnp_load(void);

/* A search for devices, for the thread that has begun it. Devices are numbered as they are found. */
struct cgupnp;

/* Begins to search for devices of a type and their later versions. Returns NULL without memory. */
struct cgupnp *cgupnp_open(const char *type);
void cgupnp_close(struct cgupnp *search);

/* Receives what devices send, and sends them what they ask for, for some milliseconds. Returns early when a
 * device is found. */
void cgupnp_wait(struct cgupnp *search, unsigned milliseconds);

/* The number of devices so far. */
size_t cgupnp_count(const struct cgupnp *search);

/* What a device says of itself; NULL for what it does not. All but `id` and `location` are freed by
 * cgupnp_free. */
struct cgupnp_device {
    /* The unique device name. */
    const char *id;
    /* The URL of its description. */
    const char *location;
    char *name, *model;
};
struct cgupnp_device cgupnp_device(const struct cgupnp *search, size_t number);

/* An action with up to two arguments besides the instance, which is the first, and up to two results. A NULL
 * name ends each list. */
struct cgupnp_action {
    const char *service, *name;
    struct {
        const char *name, *value;
    } first, second;
    const char *results[2];
};
/* Calls an action, and serves until its results are there, which are freed by cgupnp_free. Returns NULL, or the reason,
 * which is freed, too. */
char *cgupnp_call(struct cgupnp *search, size_t number, const struct cgupnp_action *action, char *results[2]);

/* Lets a device read a file as long as the search is open. Returns its URL, which is freed by cgupnp_free. */
char *cgupnp_serve(struct cgupnp *search, size_t number, const char *path, const char *name);
/* Returns the media type of a file's name, freed by cgupnp_free. */
char *cgupnp_media_type(const char *name);

void cgupnp_free(void *text);

#endif
