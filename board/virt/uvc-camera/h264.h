/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the camera has to know of an H.264 stream (ITU-T H.264, Annex B): its pictures and size. */
#ifndef H264_H
#define H264_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the first access unit, with its start codes; the rest begins with the next one. */
size_t h264_unit_length(const uint8_t *stream, size_t length);

/* Whether the unit can be decoded first: an IDR picture with its SPS and PPS. */
bool h264_begins(const uint8_t *unit, size_t length);

/* The size that the unit's SPS states, cropped; 0, or -1 where it has none that can be read. */
int h264_size(const uint8_t *unit, size_t length, uint16_t *width, uint16_t *height);

#endif
