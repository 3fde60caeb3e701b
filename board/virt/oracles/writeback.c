/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * writeback PID FILE.ppm|FILE.xrgb: saves what vkms shows right now, while process PID is DRM
 * master, or was it and there is none.
 *
 * Only a master may commit, so the commit goes through a duplicate of PID's own descriptor.
 * Everything else (objects, buffer, framebuffer) belongs to this program and leaves no trace in
 * PID's file. No page-flip event is requested: it would be delivered to PID. Planes are not
 * touched.
 *
 * PID is stopped meanwhile, because a page flip during this modeset would fail with EBUSY. Kernels
 * up to 6.x refuse writeback beside a display connector: there the writeback connector takes its
 * place for one frame, and the display connector comes back afterwards.
 */
#define _GNU_SOURCE
#include "kms.h"
#include "victim.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct scene {
    int card, master;
    uint32_t crtc, display, writeback, width, height;
};

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Finds the CRTC in use, the connector that it feeds and the writeback connector. */
static int find_scene(struct scene *scene)
{
    drmModeRes *resources = drmModeGetResources(scene->card);
    for (int i = 0; resources && i < resources->count_connectors; i++) {
        uint32_t id = resources->connectors[i];
        drmModeConnector *connector = drmModeGetConnectorCurrent(scene->card, id);
        uint64_t crtc = 0;
        kms_property(scene->card, id, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", &crtc);
        if (connector && connector->connector_type == DRM_MODE_CONNECTOR_WRITEBACK) {
            scene->writeback = id;
        } else if (crtc) {
            scene->display = id;
            scene->crtc = (uint32_t)crtc;
        }
        drmModeFreeConnector(connector);
    }
    drmModeFreeResources(resources);
    drmModeCrtc *crtc = scene->crtc ? drmModeGetCrtc(scene->card, scene->crtc) : NULL;
    if (!scene->writeback || !crtc || !crtc->mode_valid) {
        fprintf(stderr, "%s; next: %s\n", scene->writeback ? "nothing is shown" :
                "the card has no writeback connector",
                scene->writeback ? "wait until the display is on" : "vkms.enable_writeback=1");
        return -1;
    }
    scene->width = crtc->width;
    scene->height = crtc->height;
    drmModeFreeCrtc(crtc);
    return 0;
}

/* Commits. A modeset is refused with EBUSY while the master's last flip is still in flight. */
static int commit(const struct scene *scene, drmModeAtomicReq *request)
{
    int result;
    for (int tries = 0; tries < 500; tries++) {
        result = drmModeAtomicCommit(scene->master, request, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
        if (result != -EBUSY)
            return result;
        usleep(2000);
    }
    return result;
}

static int attach(const struct scene *scene, uint32_t framebuffer, int alone, int32_t *fence)
{
    const uint32_t type = DRM_MODE_OBJECT_CONNECTOR;
    drmModeAtomicReq *request = drmModeAtomicAlloc();
    if (alone)
        kms_set(scene->card, request, scene->display, type, "CRTC_ID", 0);
    kms_set(scene->card, request, scene->writeback, type, "CRTC_ID", scene->crtc);
    kms_set(scene->card, request, scene->writeback, type, "WRITEBACK_FB_ID", framebuffer);
    kms_set(scene->card, request, scene->writeback, type, "WRITEBACK_OUT_FENCE_PTR",
            (uint64_t)(uintptr_t)fence);
    int result = commit(scene, request);
    drmModeAtomicFree(request);
    return result;
}

static int detach(const struct scene *scene)
{
    const uint32_t type = DRM_MODE_OBJECT_CONNECTOR;
    drmModeAtomicReq *request = drmModeAtomicAlloc();
    kms_set(scene->card, request, scene->writeback, type, "CRTC_ID", 0);
    kms_set(scene->card, request, scene->display, type, "CRTC_ID", scene->crtc);
    int result = commit(scene, request);
    drmModeAtomicFree(request);
    if (result)
        fprintf(stderr, "the display connector did not come back: %s\n", strerror(-result));
    return result;
}

/* Takes the picture; `alone` tells whether the display connector had to be detached. */
static int take(const struct scene *scene, uint32_t framebuffer, int *alone)
{
    int32_t fence = -1;
    int result = attach(scene, framebuffer, *alone = 0, &fence);
    if (result == -EINVAL)
        result = attach(scene, framebuffer, *alone = 1, &fence);
    if (result) {
        fprintf(stderr, "writeback refused: %s\n", strerror(-result));
        return -1;
    }
    struct pollfd wait = {.fd = fence, .events = POLLIN};
    int signalled = fence >= 0 && poll(&wait, 1, 20000) == 1;
    if (!signalled)
        fprintf(stderr, "the writeback fence never signalled\n");
    if (fence >= 0)
        close(fence);
    return detach(scene) || !signalled ? -1 : 0;
}

static int save(const struct picture *picture, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return -1;
    }
    int raw = strlen(path) > 5 && !strcmp(path + strlen(path) - 5, ".xrgb");
    uint8_t *line = malloc((size_t)picture->width * 3);
    if (!raw)
        fprintf(file, "P6\n%u %u\n255\n", picture->width, picture->height);
    for (uint32_t y = 0; y < picture->height; y++) {
        const uint8_t *from = picture->pixels + (size_t)y * picture->pitch;
        for (uint32_t x = 0; x < picture->width; x++)
            for (int c = 0; c < 3; c++)
                line[x * 3 + c] = from[x * 4 + 2 - c];
        fwrite(raw ? from : line, raw ? 4 : 3, picture->width, file);
    }
    free(line);
    return fclose(file);
}

int main(int argc, char **argv)
{
    struct scene scene = {0};
    struct picture picture;
    char card_path[32];
    int alone = 0, was_free = 0;
    if (argc != 3) {
        fputs("usage: writeback PID FILE.ppm|FILE.xrgb\n", stderr);
        return 64;
    }
    pid_t pid = atoi(argv[1]);
    scene.card = kms_open("vkms", card_path, sizeof card_path);
    /* Opening a card that has no master makes this program its master. */
    drmDropMaster(scene.card);
    if (scene.card < 0 || (scene.master = victim_master(pid, card_path, &was_free)) < 0 ||
        find_scene(&scene) ||
        kms_picture(scene.card, DRM_FORMAT_XRGB8888, scene.width, scene.height, &picture))
        return 69;
    memset(picture.pixels, 0x5a, picture.size);
    int64_t before = milliseconds();
    if (victim_pause(pid))
        return 69;
    int result = take(&scene, picture.framebuffer, &alone);
    if (was_free)
        drmDropMaster(scene.master);
    victim_resume(pid);
    int64_t took = milliseconds() - before;
    if (!result)
        result = save(&picture, argv[2]);
    kms_free(scene.card, &picture);
    if (!result)
        printf("{\"width\":%u,\"height\":%u,\"alone\":%s,\"milliseconds\":%lld}\n", scene.width,
               scene.height, alone ? "true" : "false", (long long)took);
    return result ? 74 : 0;
}
