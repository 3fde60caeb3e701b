/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libyuv without its row functions. The colour matrices are globals on whose alignment the SIMD
 * code relies: Swift would copy them, so it gets their addresses. */
#ifndef CYUV_H
#define CYUV_H

#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from.h>
#include <libyuv/convert_from_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/rotate_argb.h>
#include <libyuv/scale.h>
#include <libyuv/scale_argb.h>

static inline const struct YuvConstants *cyuv_bt601_limited(void) { return &kYuvI601Constants; }
static inline const struct YuvConstants *cyuv_bt601_full(void) { return &kYuvJPEGConstants; }
static inline const struct YuvConstants *cyuv_bt709_limited(void) { return &kYuvH709Constants; }
static inline const struct YuvConstants *cyuv_bt709_full(void) { return &kYuvF709Constants; }
static inline const struct YuvConstants *cyuv_bt2020_limited(void) { return &kYuv2020Constants; }
static inline const struct YuvConstants *cyuv_bt2020_full(void) { return &kYuvV2020Constants; }

#endif
