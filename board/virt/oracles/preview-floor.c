/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preview-floor NODE FRAMES: measures the least processor time that a zero-copy preview can take
 * here.
 *
 * vivid's XRGB8888 buffers are exported, imported and flipped on vkms at 640x480 and 30 frames per
 * second, by nothing but the system calls: wait, dequeue, flip, queue, in one thread. Vblanks come
 * at twice the frame rate, so no flip event is needed: the frame before is off the screen when the
 * next one is on it. Prints the milliseconds of processor time per frame. A yardstick for `bench
 * preview`, not a player: it handles no error and ends with the process.
 */
#define _GNU_SOURCE
#include "kms.h"

#include <drm_fourcc.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BUFFERS = 6, WARM_UP = 60, CAPTURE = V4L2_BUF_TYPE_VIDEO_CAPTURE };

static int camera, card;
static uint32_t framebuffers[BUFFERS], plane, property;

static void check(long result, const char *what)
{
    if (result >= 0)
        return;
    perror(what);
    exit(1);
}

static void queue(int index)
{
    struct v4l2_buffer buffer = {.index = (uint32_t)index, .type = CAPTURE,
                                 .memory = V4L2_MEMORY_MMAP};
    check(ioctl(camera, VIDIOC_QBUF, &buffer), "QBUF");
}

static int dequeue(void)
{
    struct v4l2_buffer buffer = {.type = CAPTURE, .memory = V4L2_MEMORY_MMAP};
    return ioctl(camera, VIDIOC_DQBUF, &buffer) ? -1 : (int)buffer.index;
}

static void flip(int index)
{
    uint32_t count = 1;
    uint64_t value = framebuffers[index];
    struct drm_mode_atomic request = {
        .flags = DRM_MODE_ATOMIC_NONBLOCK, .count_objs = 1,
        .objs_ptr = (uintptr_t)&plane, .count_props_ptr = (uintptr_t)&count,
        .props_ptr = (uintptr_t)&property, .prop_values_ptr = (uintptr_t)&value};
    check(ioctl(card, DRM_IOCTL_MODE_ATOMIC, &request), "atomic commit");
}

static void start_camera(void)
{
    struct v4l2_format format = {.type = CAPTURE};
    format.fmt.pix.width = 640;
    format.fmt.pix.height = 480;
    format.fmt.pix.pixelformat = V4L2_PIX_FMT_XBGR32;
    check(ioctl(camera, VIDIOC_S_FMT, &format), "S_FMT");
    struct v4l2_streamparm rate = {.type = CAPTURE};
    rate.parm.capture.timeperframe = (struct v4l2_fract){1, 30};
    check(ioctl(camera, VIDIOC_S_PARM, &rate), "S_PARM");
    struct v4l2_requestbuffers request = {.count = BUFFERS, .type = CAPTURE,
                                          .memory = V4L2_MEMORY_MMAP};
    check(ioctl(camera, VIDIOC_REQBUFS, &request), "REQBUFS");
    for (uint32_t i = 0; i < BUFFERS; i++) {
        struct v4l2_exportbuffer export = {.type = CAPTURE, .index = i, .flags = O_CLOEXEC};
        check(ioctl(camera, VIDIOC_EXPBUF, &export), "EXPBUF");
        uint32_t handles[4] = {0}, pitches[4] = {format.fmt.pix.bytesperline}, offsets[4] = {0};
        check(drmPrimeFDToHandle(card, export.fd, handles), "PRIME");
        check(drmModeAddFB2(card, 640, 480, DRM_FORMAT_XRGB8888, handles, pitches, offsets,
                            &framebuffers[i], 0), "ADDFB2");
        queue((int)i);
    }
}

/* Shows the first buffer at 640x480 on the first CRTC, and finds its primary plane. */
static void start_display(void)
{
    drmModeRes *resources = drmModeGetResources(card);
    drmModePlaneRes *planes = drmModeGetPlaneResources(card);
    for (uint32_t i = 0; i < planes->count_planes; i++) {
        uint64_t kind = 0;
        kms_property(card, planes->planes[i], DRM_MODE_OBJECT_PLANE, "type", &kind);
        if (kind == DRM_PLANE_TYPE_PRIMARY)
            plane = planes->planes[i];
    }
    property = kms_property(card, plane, DRM_MODE_OBJECT_PLANE, "FB_ID", NULL);
    for (int i = 0; i < resources->count_connectors; i++) {
        drmModeConnector *connector = drmModeGetConnector(card, resources->connectors[i]);
        for (int m = 0; connector->connection == DRM_MODE_CONNECTED && m < connector->count_modes;
             m++) {
            drmModeModeInfo *mode = &connector->modes[m];
            if (mode->hdisplay == 640 && mode->vdisplay == 480) {
                check(drmModeSetCrtc(card, resources->crtcs[0], framebuffers[0], 0, 0,
                                     &connector->connector_id, 1, mode), "SETCRTC");
                return;
            }
        }
    }
    check(-1, "640x480");
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 64;
    char path[64];
    int frames = atoi(argv[2]), type = CAPTURE, shown = -1, leaving = -1;
    camera = open(argv[1], O_RDWR | O_NONBLOCK | O_CLOEXEC);
    check(camera, argv[1]);
    card = kms_open("vkms", path, sizeof path);
    check(card, "vkms");
    start_camera();
    start_display();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, camera, &event), "epoll_ctl");
    check(ioctl(camera, VIDIOC_STREAMON, &type), "STREAMON");
    double start = 0;
    for (int frame = -WARM_UP; frame < frames;) {
        epoll_wait(epoll, &event, 1, -1);
        int index = dequeue();
        if (index < 0)
            continue;
        if (frame++ == 0)
            start = processor_time();
        flip(index);
        if (leaving >= 0)
            queue(leaving);
        leaving = shown;
        shown = index;
    }
    printf("%.4f\n", (processor_time() - start) / frames);
    return 0;
}
