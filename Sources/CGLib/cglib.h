/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GLib, of which the normal forms of Unicode are used: Pango has it in the process anyway. */
#ifndef CGLIB_H
#define CGLIB_H

#include <glib.h>

#endif
