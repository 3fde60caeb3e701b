/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an H.264 stream (ITU-T H.264, Annex B) that the camera needs: its pictures and
 * size. */
#ifndef H264_H
#define H264_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the bytes of the first access unit, with its start codes; the rest begins with the
 * next. */
size_t h264_unit_length(const uint8_t *stream, size_t length);

/* Whether decoding can start with the unit: an IDR picture with its SPS and PPS. */
bool h264_begins(const uint8_t *unit, size_t length);

/* Reads the cropped size that the unit's SPS states; 0, or -1 if it has no readable SPS. */
int h264_size(const uint8_t *unit, size_t length, uint16_t *width, uint16_t *height);

#endif
