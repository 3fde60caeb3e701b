/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cdrm.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const uint32_t cdrm_object_crtc = DRM_MODE_OBJECT_CRTC;
const uint32_t cdrm_object_connector = DRM_MODE_OBJECT_CONNECTOR;
const uint32_t cdrm_object_plane = DRM_MODE_OBJECT_PLANE;
const uint32_t cdrm_test_only = DRM_MODE_ATOMIC_TEST_ONLY;
const uint32_t cdrm_nonblock = DRM_MODE_ATOMIC_NONBLOCK;
const uint32_t cdrm_allow_modeset = DRM_MODE_ATOMIC_ALLOW_MODESET;
const uint32_t cdrm_flip_event = DRM_MODE_PAGE_FLIP_EVENT;
const uint64_t cdrm_client_universal_planes = DRM_CLIENT_CAP_UNIVERSAL_PLANES;
const uint64_t cdrm_client_atomic = DRM_CLIENT_CAP_ATOMIC;
const uint64_t cdrm_rotate_0 = DRM_MODE_ROTATE_0;
const uint64_t cdrm_rotate_90 = DRM_MODE_ROTATE_90;
const uint64_t cdrm_rotate_180 = DRM_MODE_ROTATE_180;
const uint64_t cdrm_rotate_270 = DRM_MODE_ROTATE_270;
const uint64_t cdrm_reflect_x = DRM_MODE_REFLECT_X;
const int cdrm_connected = DRM_MODE_CONNECTED;
const uint32_t cdrm_connector_writeback = DRM_MODE_CONNECTOR_WRITEBACK;

int cdrm_set_master(int fd) { return drmIoctl(fd, DRM_IOCTL_SET_MASTER, NULL); }
int cdrm_drop_master(int fd) { return drmIoctl(fd, DRM_IOCTL_DROP_MASTER, NULL); }
int cdrm_is_master(int fd) { return drmIsMaster(fd); }

int cdrm_properties(
    int fd, uint32_t object, uint32_t type, struct cdrm_property *out, int capacity) {
    drmModeObjectProperties *list = drmModeObjectGetProperties(fd, object, type);
    if (!list) return -1;
    int count = 0;
    for (uint32_t i = 0; i < list->count_props && count < capacity; i++) {
        drmModePropertyRes *property = drmModeGetProperty(fd, list->props[i]);
        if (!property) continue;
        out[count].id = property->prop_id;
        out[count].value = list->prop_values[i];
        memcpy(out[count].name, property->name, sizeof out[count].name);
        out[count].name[sizeof out[count].name - 1] = 0;
        count++;
        drmModeFreeProperty(property);
    }
    drmModeFreeObjectProperties(list);
    return count;
}

int cdrm_enum_value(int fd, uint32_t id, const char *name, uint64_t *value) {
    drmModePropertyRes *property = drmModeGetProperty(fd, id);
    if (!property) return -1;
    int found = -1;
    for (int i = 0; i < property->count_enums; i++) {
        if (strcmp(property->enums[i].name, name)) continue;
        *value = property->enums[i].value;
        found = 0;
    }
    drmModeFreeProperty(property);
    if (found) errno = ENOENT;
    return found;
}

int cdrm_create_dumb(
    int fd, uint32_t width, uint32_t height, uint32_t bits, uint32_t *handle, uint32_t *pitch,
    uint64_t *size) {
    struct drm_mode_create_dumb dumb = {.width = width, .height = height, .bpp = bits};
    if (drmIoctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb)) return -1;
    *handle = dumb.handle;
    *pitch = dumb.pitch;
    *size = dumb.size;
    return 0;
}

int cdrm_destroy_dumb(int fd, uint32_t handle) {
    struct drm_mode_destroy_dumb dumb = {.handle = handle};
    return drmIoctl(fd, DRM_IOCTL_MODE_DESTROY_DUMB, &dumb);
}

int cdrm_close_handle(int fd, uint32_t handle) {
    struct drm_gem_close request = {.handle = handle};
    return drmIoctl(fd, DRM_IOCTL_GEM_CLOSE, &request);
}

int cdrm_export(int fd, uint32_t handle) {
    int dmabuf = -1;
    return drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf) ? -1 : dmabuf;
}

int cdrm_atomic(
    int fd, uint32_t flags, uint32_t objects_count, const uint32_t *objects, const uint32_t *counts,
    const uint32_t *properties, const uint64_t *values) {
    struct drm_mode_atomic request = {
        .flags = flags,
        .count_objs = objects_count,
        .objs_ptr = (uintptr_t)objects,
        .count_props_ptr = (uintptr_t)counts,
        .props_ptr = (uintptr_t)properties,
        .prop_values_ptr = (uintptr_t)values};
    return drmIoctl(fd, DRM_IOCTL_MODE_ATOMIC, &request);
}

int cdrm_read_flip(int fd, int64_t *timestamp_ns) {
    _Alignas(8) char buffer[1024];
    ssize_t length = read(fd, buffer, sizeof buffer);
    if (length < 0) return errno == EAGAIN ? 0 : -1;
    int found = 0;
    for (ssize_t at = 0; at + (ssize_t)sizeof(struct drm_event) <= length;) {
        const struct drm_event *event = (const struct drm_event *)(buffer + at);
        if (event->type == DRM_EVENT_FLIP_COMPLETE) {
            const struct drm_event_vblank *flip = (const struct drm_event_vblank *)event;
            *timestamp_ns = flip->tv_sec * INT64_C(1000000000) + flip->tv_usec * INT64_C(1000);
            found = 1;
        }
        if (event->length < sizeof *event) break;
        at += event->length;
    }
    return found;
}
