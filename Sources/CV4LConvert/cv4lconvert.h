/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libv4lconvert, and a function that fills v4l2_format, a union that Swift cannot fill. */
#ifndef CV4LCONVERT_H
#define CV4LCONVERT_H

#include <libv4lconvert.h>
#include <stdint.h>
#include <string.h>

static inline struct v4l2_format cv4lconvert_picture(
    uint32_t fourcc, uint32_t width, uint32_t height, uint32_t bytesperline, uint32_t sizeimage) {
    struct v4l2_format format;
    memset(&format, 0, sizeof format);
    format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    format.fmt.pix.pixelformat = fourcc;
    format.fmt.pix.width = width;
    format.fmt.pix.height = height;
    format.fmt.pix.bytesperline = bytesperline;
    format.fmt.pix.sizeimage = sizeimage;
    return format;
}

#endif
