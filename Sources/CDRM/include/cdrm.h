/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DRM's requests and fourcc codes are function-like macros, which Swift does not import, and
 * libdrm's own atomic calls allocate and sort at every commit: Swift builds a request's arrays
 * once and hands them to the kernel as they are. libdrm's lists are flattened here, because its
 * structures point to arrays that must be freed. */
#ifndef CDRM_H
#define CDRM_H

#include <stdint.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

extern const uint32_t cdrm_object_crtc, cdrm_object_connector, cdrm_object_plane;
extern const uint32_t cdrm_test_only, cdrm_nonblock, cdrm_allow_modeset, cdrm_flip_event;
extern const uint64_t cdrm_client_universal_planes, cdrm_client_atomic;
/* Rotations are counter-clockwise. */
extern const uint64_t cdrm_rotate_0, cdrm_rotate_90, cdrm_rotate_180, cdrm_rotate_270, cdrm_reflect_x;
extern const int cdrm_connected;
extern const uint32_t cdrm_connector_writeback;

/* These keep the errno of the kernel's request. */
int cdrm_set_master(int fd);
int cdrm_drop_master(int fd);
int cdrm_is_master(int fd);

struct cdrm_property {
    uint32_t id;
    uint64_t value;
    char name[32];
};
/* Reads at most `capacity` of the object's properties; returns their count, or -1. */
int cdrm_properties(int fd, uint32_t object, uint32_t type, struct cdrm_property *out, int capacity);
/* Reads the value of an enum property's entry by its name; returns 0, or -1. */
int cdrm_enum_value(int fd, uint32_t property, const char *name, uint64_t *value);

int cdrm_create_dumb(
    int fd, uint32_t width, uint32_t height, uint32_t bits, uint32_t *handle, uint32_t *pitch,
    uint64_t *size);
int cdrm_destroy_dumb(int fd, uint32_t handle);
int cdrm_close_handle(int fd, uint32_t handle);
/* Returns a DMA-BUF of the handle that can be mapped for reading and writing, or -1. */
int cdrm_export(int fd, uint32_t handle);

/* Makes one atomic commit: objects[i] has counts[i] of the properties and values, in order. */
int cdrm_atomic(
    int fd, uint32_t flags, uint32_t objects_count, const uint32_t *objects, const uint32_t *counts,
    const uint32_t *properties, const uint64_t *values);

/* Reads waiting events; 1 and the newest page flip's time, 0 if there was none, -1 on error. */
int cdrm_read_flip(int fd, int64_t *timestamp_ns);

#endif
