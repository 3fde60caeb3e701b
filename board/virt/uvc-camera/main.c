/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uvc-camera: a USB camera for the kernel's own uvcvideo driver, played through raw-gadget on
 * dummy_hcd. It streams over a bulk endpoint, because dummy_hcd has no isochronous transfers.
 * SIGTERM unplugs it; SIGUSR1 kills it in the middle of the next frame.
 */
#include "camera.h"
#include "control.h"
#include "gadget.h"
#include "streaming.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static struct stream stream;
static volatile sig_atomic_t unplugged;
static void unplug(int signal) { (void)signal; unplugged = 1; }
static void doom(int signal) { (void)signal; atomic_store(&stream.doomed, true); }

static const struct option options[] = {
    {"mjpeg", required_argument, NULL, 'm'},   {"yuyv", required_argument, NULL, 'y'},
    {"no-yuyv", no_argument, NULL, 'n'},       {"h264", required_argument, NULL, 'h'},
    {"serial", required_argument, NULL, 's'},
    {"truncate", required_argument, NULL, 't'}, {"garbage", required_argument, NULL, 'g'},
    {"clock-back", required_argument, NULL, 'b'}, {"stall-after", required_argument, NULL, 'x'}, {0},
};

static int usage(void)
{
    fputs("usage: uvc-camera [--mjpeg FOLDER] [--yuyv FILE | --no-yuyv] [--h264 FILE]\n"
          "                  [--serial TEXT] [--truncate N] [--garbage N] [--clock-back N]\n"
          "                  [--stall-after N]\n"
          "  --mjpeg FOLDER   offer MJPEG in the sizes of the folder's .jpg files\n"
          "  --yuyv FILE      640x480 YUYV from raw frames (default: a generated pattern)\n"
          "  --h264 FILE      offer H.264 from an Annex B stream, as UVC 1.1\n"
          "  --truncate N, --garbage N, --clock-back N   spoil every Nth frame, or its time\n"
          "  --stall-after N  fall silent after so many frames\n"
          "SIGTERM unplugs it; SIGUSR1 kills it when half of the next frame is sent.\n",
          stderr);
    return 64;
}

int main(int argc, char **argv)
{
    static struct camera camera = {.serial = "VIRT0001"};
    const char *yuyv = NULL, *h264 = NULL;
    int with_yuyv = 1;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (option) {
        case 'm':
            if (camera.format_count)
                return usage();
            if (camera_add_mjpeg(&camera, optarg))
                return 66;
            break;
        case 'y': yuyv = optarg; break;
        case 'n': with_yuyv = 0; break;
        case 'h': h264 = optarg; break;
        case 's': camera.serial = optarg; break;
        case 't': stream.faults.truncate = (unsigned)atoi(optarg); break;
        case 'g': stream.faults.garbage = (unsigned)atoi(optarg); break;
        case 'b': stream.faults.clock_back = (unsigned)atoi(optarg); break;
        case 'x': stream.faults.stall_after = (unsigned)atoi(optarg); break;
        default: return usage();
        }
    if (optind < argc)
        return usage();
    if (with_yuyv && camera_add_yuyv(&camera, yuyv))
        return 66;
    if (h264 && camera_add_h264(&camera, h264))
        return 66;
    if (camera.format_count == 0)
        return usage();

    struct sigaction action = {.sa_handler = unplug};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = doom;
    sigaction(SIGUSR1, &action, NULL);

    int gadget = gadget_open();
    if (gadget < 0)
        return 69;
    stream.gadget = gadget;
    stream_launch(&stream);
    struct control control = {.gadget = gadget, .camera = &camera, .stream = &stream};
    control_init(&control);
    while (!unplugged) {
        struct control_event event;
        if (gadget_next_event(gadget, &event) < 0) {
            if (errno == EINTR)
                continue;
            perror("uvc-camera: next event");
            return 74;
        }
        if (event.header.type == USB_RAW_EVENT_CONTROL)
            control_handle(&control, &event.request);
        else if (event.header.type != USB_RAW_EVENT_CONNECT)
            stream_stop(&stream); /* reset, suspend, disconnect */
    }
    return 0; /* the kernel unplugs the device when its last descriptor is closed */
}
