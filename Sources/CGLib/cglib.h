/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GLib, for Unicode's normal forms: Pango loads it into the process anyway. */
#ifndef CGLIB_H
#define CGLIB_H

#include <glib.h>

#endif
