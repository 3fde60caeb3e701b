/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ALSA's library, for the kernel's sound devices. */
#ifndef CALSA_H
#define CALSA_H

#include <alsa/asoundlib.h>

#endif
