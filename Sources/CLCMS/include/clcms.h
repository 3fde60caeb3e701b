/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Little CMS for Swift. This shim exists because its pixel formats are function-like macros, which
 * Swift does not import.
 */
#ifndef CLCMS_H
#define CLCMS_H

#include <lcms2.h>

/* Four bytes per pixel: blue, green, red, and one that stays as it is. */
extern const cmsUInt32Number clcms_bgrx;
/* Cyan, magenta, yellow, black: 0 is no ink. */
extern const cmsUInt32Number clcms_cmyk;
/* The same as Adobe's programs write it into JPEG files: 255 is no ink. */
extern const cmsUInt32Number clcms_cmyk_inverted;

#endif
