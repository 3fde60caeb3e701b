/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libexif has no header that includes the others. */
#ifndef CEXIF_H
#define CEXIF_H

#include <libexif/exif-content.h>
#include <libexif/exif-data.h>
#include <libexif/exif-entry.h>
#include <libexif/exif-mem.h>

#endif
