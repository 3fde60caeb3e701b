/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of KMS that the oracles and kms-show share. */
#ifndef KMS_H
#define KMS_H

#include <stdint.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

/* A mapped dumb buffer with a framebuffer on it. */
struct picture {
    uint32_t handle, pitch, framebuffer, width, height;
    uint64_t size;
    uint8_t *pixels;
};

/* Opens the card whose driver has this name and enables atomic and writeback; -1 if there is
 * none. */
int kms_open(const char *driver, char *path, unsigned room);
/* Returns a property's id by its name, 0 if the object has none. `value` may be NULL. */
uint32_t kms_property(int card, uint32_t object, uint32_t type, const char *name,
                      uint64_t *value);
/* Adds a property to a request; prints an error and returns -1 if the object has none. */
int kms_set(int card, drmModeAtomicReq *request, uint32_t object, uint32_t type,
            const char *name, uint64_t value);
/* Makes an XR24 or NV12 picture (NV12: both planes in one buffer, chroma after luma). */
int kms_picture(int card, uint32_t fourcc, uint32_t width, uint32_t height,
                struct picture *picture);
void kms_free(int card, struct picture *picture);

#endif
