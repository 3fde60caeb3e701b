/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process whose display is examined. */
#ifndef VICTIM_H
#define VICTIM_H

#include <sys/types.h>

/*
 * Returns a duplicate of the process's own descriptor that is DRM master of all of this card, or
 * -1. If the card has no master, the duplicate becomes it: `was_free` is set, and the caller drops
 * it.
 */
int victim_master(pid_t pid, const char *card_path, int *was_free);
/* Stops the process and waits until it is stopped; victim_resume lets it continue. */
int victim_pause(pid_t pid);
void victim_resume(pid_t pid);

#endif
