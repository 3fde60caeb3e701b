/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kms.h"

#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int kms_open(const char *driver, char *path, unsigned room)
{
    for (int number = 0; number < 16; number++) {
        snprintf(path, room, "/dev/dri/card%d", number);
        int card = open(path, O_RDWR | O_CLOEXEC);
        if (card < 0)
            continue;
        drmVersion *version = drmGetVersion(card);
        int found = version && !strcmp(version->name, driver);
        drmFreeVersion(version);
        if (found && !drmSetClientCap(card, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1) &&
            !drmSetClientCap(card, DRM_CLIENT_CAP_ATOMIC, 1)) {
            drmSetClientCap(card, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1);
            return card;
        }
        close(card);
    }
    fprintf(stderr, "no card with driver %s; next: look at /sys/class/drm\n", driver);
    return -1;
}

uint32_t kms_property(int card, uint32_t object, uint32_t type, const char *name,
                      uint64_t *value)
{
    drmModeObjectProperties *all = drmModeObjectGetProperties(card, object, type);
    uint32_t found = 0;
    for (uint32_t i = 0; all && !found && i < all->count_props; i++) {
        drmModePropertyRes *property = drmModeGetProperty(card, all->props[i]);
        if (property && !strcmp(property->name, name)) {
            found = property->prop_id;
            if (value)
                *value = all->prop_values[i];
        }
        drmModeFreeProperty(property);
    }
    drmModeFreeObjectProperties(all);
    return found;
}

int kms_set(int card, drmModeAtomicReq *request, uint32_t object, uint32_t type,
            const char *name, uint64_t value)
{
    uint32_t property = kms_property(card, object, type, name, NULL);
    if (!property) {
        fprintf(stderr, "object %u has no property %s\n", object, name);
        return -1;
    }
    return drmModeAtomicAddProperty(request, object, property, value) < 0 ? -1 : 0;
}

int kms_picture(int card, uint32_t fourcc, uint32_t width, uint32_t height,
                struct picture *picture)
{
    int nv12 = fourcc == DRM_FORMAT_NV12;
    struct drm_mode_create_dumb create = {
        .width = width,
        .height = nv12 ? height * 3 / 2 : height,
        .bpp = nv12 ? 8 : 32,
    };
    if (drmIoctl(card, DRM_IOCTL_MODE_CREATE_DUMB, &create)) {
        perror("create dumb buffer");
        return -1;
    }
    *picture = (struct picture){.handle = create.handle, .pitch = create.pitch,
                                .size = create.size, .width = width, .height = height};
    uint32_t handles[4] = {create.handle, nv12 ? create.handle : 0};
    uint32_t pitches[4] = {create.pitch, nv12 ? create.pitch : 0};
    uint32_t offsets[4] = {0, nv12 ? create.pitch * height : 0};
    struct drm_mode_map_dumb map = {.handle = create.handle};
    if (drmModeAddFB2(card, width, height, fourcc, handles, pitches, offsets,
                      &picture->framebuffer, 0) ||
        drmIoctl(card, DRM_IOCTL_MODE_MAP_DUMB, &map)) {
        perror("make framebuffer");
        return -1;
    }
    picture->pixels = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, card,
                           (off_t)map.offset);
    if (picture->pixels == MAP_FAILED) {
        perror("map dumb buffer");
        return -1;
    }
    return 0;
}

void kms_free(int card, struct picture *picture)
{
    struct drm_mode_destroy_dumb destroy = {.handle = picture->handle};
    munmap(picture->pixels, picture->size);
    drmModeRmFB(card, picture->framebuffer);
    drmIoctl(card, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy);
}
