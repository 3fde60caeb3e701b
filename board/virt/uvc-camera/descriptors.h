/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The USB and UVC descriptors that tell the host what the camera offers. */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include "camera.h"

/* A payload header has room for the camera's clock: PTS and SCR. */
enum { UVC_PAYLOAD_HEADER_BYTES = 12, UVC_CLOCK_HERTZ = 48000000 };
/* The units whose settings UVC addresses: the one with the lens, and the one behind it. */
enum { CAMERA_TERMINAL = 1, PROCESSING_UNIT = 3 };

/* Answers GET_DESCRIPTOR (value = type << 8 | index) into `out`; returns the bytes written, or
 * -1. */
int descriptor_answer(const struct camera *camera, uint16_t value, uint8_t *out, size_t room);

#endif
