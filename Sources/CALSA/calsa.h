/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's sound devices by their C library. */
#ifndef CALSA_H
#define CALSA_H

#include <alsa/asoundlib.h>

#endif
