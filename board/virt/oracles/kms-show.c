/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kms-show FORMAT WIDTHxHEIGHT FILE [--limited] [--bt709] [--leave]: a stand-in for Vitrine's
 * display. Becomes master of vkms, shows the raw picture (XR24 or NV12, tightly packed) and flips
 * between two equal buffers, with events, until SIGTERM. Says "shown" after the first flip, and at
 * the end how many flips there were and how many were refused. --leave makes it the previous owner
 * of the screen: it drops its mastership after the first flip and leaves its picture there.
 */
#define _GNU_SOURCE
#include "kms.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t ended;
static void end(int signal) { (void)signal; ended = 1; }

struct show {
    int card;
    uint32_t fourcc, width, height, crtc, connector, plane;
    int limited, bt709, leave;
    struct picture pictures[2];
};

static int find_objects(struct show *show, drmModeModeInfo *mode)
{
    drmModeRes *resources = drmModeGetResources(show->card);
    show->crtc = resources->crtcs[0];
    for (int i = 0; i < resources->count_connectors; i++) {
        drmModeConnector *connector = drmModeGetConnector(show->card, resources->connectors[i]);
        int usable = connector->connection == DRM_MODE_CONNECTED && !show->connector &&
                     connector->connector_type != DRM_MODE_CONNECTOR_WRITEBACK;
        for (int m = 0; usable && m < connector->count_modes; m++)
            if (connector->modes[m].hdisplay == show->width &&
                connector->modes[m].vdisplay == show->height) {
                *mode = connector->modes[m];
                show->connector = connector->connector_id;
            }
        drmModeFreeConnector(connector);
    }
    drmModePlaneRes *planes = drmModeGetPlaneResources(show->card);
    for (uint32_t i = 0; i < planes->count_planes && !show->plane; i++) {
        uint64_t type = 0;
        kms_property(show->card, planes->planes[i], DRM_MODE_OBJECT_PLANE, "type", &type);
        if (type == DRM_PLANE_TYPE_PRIMARY)
            show->plane = planes->planes[i];
    }
    return show->connector && show->plane ? 0 : -1;
}

static int read_picture(const struct show *show, const char *path, struct picture *picture)
{
    int nv12 = show->fourcc == DRM_FORMAT_NV12;
    size_t line = show->width * (nv12 ? 1u : 4u);
    uint32_t lines = nv12 ? show->height * 3 / 2 : show->height;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    for (uint32_t y = 0; y < lines; y++)
        if (fread(picture->pixels + (size_t)y * picture->pitch, 1, line, file) != line) {
            fprintf(stderr, "%s is too short for this size\n", path);
            fclose(file);
            return -1;
        }
    fclose(file);
    return 0;
}

static void set_plane(const struct show *show, drmModeAtomicReq *request)
{
    const uint32_t type = DRM_MODE_OBJECT_PLANE;
    const struct { const char *name; uint64_t value; } properties[] = {
        {"CRTC_ID", show->crtc}, {"SRC_X", 0}, {"SRC_Y", 0},
        {"SRC_W", (uint64_t)show->width << 16}, {"SRC_H", (uint64_t)show->height << 16},
        {"CRTC_X", 0}, {"CRTC_Y", 0}, {"CRTC_W", show->width}, {"CRTC_H", show->height},
    };
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
        kms_set(show->card, request, show->plane, type, properties[i].name,
                properties[i].value);
    if (show->fourcc == DRM_FORMAT_NV12) {
        kms_set(show->card, request, show->plane, type, "COLOR_ENCODING", show->bt709);
        kms_set(show->card, request, show->plane, type, "COLOR_RANGE", !show->limited);
    }
}

/* COLOR_ENCODING: 0 is BT.601, 1 is BT.709. COLOR_RANGE: 0 is limited, 1 is full. */
static int flip(const struct show *show, unsigned picture, const drmModeModeInfo *first)
{
    drmModeAtomicReq *request = drmModeAtomicAlloc();
    uint32_t flags = DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_ATOMIC_NONBLOCK;
    kms_set(show->card, request, show->plane, DRM_MODE_OBJECT_PLANE, "FB_ID",
            show->pictures[picture].framebuffer);
    if (first) {
        uint32_t blob = 0;
        drmModeCreatePropertyBlob(show->card, first, sizeof *first, &blob);
        kms_set(show->card, request, show->crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", blob);
        kms_set(show->card, request, show->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1);
        kms_set(show->card, request, show->connector, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID",
                show->crtc);
        set_plane(show, request);
        flags = DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_ATOMIC_ALLOW_MODESET;
    }
    int result = drmModeAtomicCommit(show->card, request, flags, NULL);
    drmModeAtomicFree(request);
    return result;
}

int main(int argc, char **argv)
{
    struct show show = {0};
    drmModeModeInfo mode;
    char path[32], code[5];
    if (argc < 4 || sscanf(argv[2], "%ux%u", &show.width, &show.height) != 2 ||
        sscanf(argv[1], "%4s", code) != 1 || strlen(code) != 4) {
        fputs("usage: kms-show XR24|NV12 WIDTHxHEIGHT FILE [--limited] [--bt709] [--leave]\n", stderr);
        return 64;
    }
    show.fourcc = fourcc_code(code[0], code[1], code[2], code[3]);
    for (int i = 4; i < argc; i++) {
        show.limited |= !strcmp(argv[i], "--limited");
        show.bt709 |= !strcmp(argv[i], "--bt709");
        show.leave |= !strcmp(argv[i], "--leave");
    }
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    if ((show.card = kms_open("vkms", path, sizeof path)) < 0 || find_objects(&show, &mode))
        return 69;
    for (int i = 0; i < 2; i++)
        if (kms_picture(show.card, show.fourcc, show.width, show.height, &show.pictures[i]) ||
            read_picture(&show, argv[3], &show.pictures[i]))
            return 66;
    if (flip(&show, 0, &mode)) {
        perror("first commit");
        return 74;
    }
    unsigned flips = 0, refused = 0;
    while (!ended) {
        char events[1024];
        struct pollfd wait = {.fd = show.card, .events = POLLIN};
        if (poll(&wait, 1, 1000) <= 0 || read(show.card, events, sizeof events) <= 0)
            continue;
        if (flips++ == 0) {
            if (show.leave)
                drmDropMaster(show.card);
            puts("shown"), fflush(stdout);
        }
        if (show.leave)
            continue;
        for (int result; (result = flip(&show, flips & 1, NULL)) && !ended; usleep(2000)) {
            refused++;
            if (result != -EBUSY && result != -EINTR) {
                fprintf(stderr, "flip: %s\n", strerror(-result));
                return 74;
            }
        }
    }
    printf("flips %u refused %u\n", flips, refused);
    return 0;
}
