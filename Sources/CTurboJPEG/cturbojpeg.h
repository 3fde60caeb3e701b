/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The TurboJPEG 2 API, which 3.x still offers; one module for the library's one header. */
#include <turbojpeg.h>
