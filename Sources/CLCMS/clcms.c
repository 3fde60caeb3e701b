/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clcms.h"

const cmsUInt32Number clcms_bgrx = TYPE_BGRA_8;
const cmsUInt32Number clcms_cmyk = TYPE_CMYK_8;
const cmsUInt32Number clcms_cmyk_inverted = TYPE_CMYK_8_REV;
