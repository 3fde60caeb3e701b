// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the programs that play and record with ALSA.
#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Ends the program if a call has failed. */
static void check(long code, const char *what) {
    if (code >= 0) return;
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, snd_strerror((int)code));
    exit(1);
}

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}
