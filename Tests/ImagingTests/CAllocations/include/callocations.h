/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts every malloc, calloc, realloc and aligned allocation of the calling thread. Linked into a
 * test binary it takes the place of the C library's own entry points for every library loaded. */
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

long callocations_of_this_thread(void);

#endif
