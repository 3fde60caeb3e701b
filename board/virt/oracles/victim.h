/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process whose display is looked at. */
#ifndef VICTIM_H
#define VICTIM_H

#include <sys/types.h>

/*
 * A duplicate of the process's own descriptor for this card, the one that is DRM master of all of it. Where nobody is,
 * one that has become it: `was_free` then, and the caller drops it again.
 */
int victim_master(pid_t pid, const char *card_path, int *was_free);
/* Stops the process and waits until it stands still; resume lets it go on. */
int victim_pause(pid_t pid);
void victim_resume(pid_t pid);

#endif
