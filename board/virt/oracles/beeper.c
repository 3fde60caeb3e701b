// SPDX-License-Identifier: GPL-3.0-or-later
// beeper DEVICE SECONDS: plays silence on a sound device without a pause, and every SECONDS a tone
// of 1 kHz for 50 ms, until it is killed. Prints one JSON line per tone: `microseconds` is the time
// on CLOCK_MONOTONIC at which its first sample is played, as the driver counts. Says "playing" on
// stderr first.
#define _GNU_SOURCE
#include "sound.h"

#include <math.h>

enum { RATE = 48000, PIECE = 480, TONE = RATE / 20 };

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: beeper DEVICE SECONDS\n");
        return 64;
    }
    long every = (long)(atof(words[2]) * RATE), position = 0;
    snd_pcm_t *pcm;
    check(snd_pcm_open(&pcm, words[1], SND_PCM_STREAM_PLAYBACK, 0), "snd_pcm_open");
    /* Half a second, because an emulator may be held up. */
    check(snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 2, RATE, 1, 500000),
          "snd_pcm_set_params");
    fprintf(stderr, "playing\n");
    for (;;) {
        short piece[2 * PIECE];
        long tone = -1;
        for (int i = 0; i < PIECE; i++, position++) {
            long since = position % every;
            // The first SECONDS are silent.
            int is_tone = position >= every && since < TONE;
            if (is_tone && since == 0) tone = i;
            piece[2 * i] = piece[2 * i + 1] = is_tone ? (short)(20000 * sin(since * 1000 * 2 * M_PI / RATE)) : 0;
        }
        long written = snd_pcm_writei(pcm, piece, PIECE);
        if (written < 0) {
            // Report the loss: a tone among the lost samples has no time.
            fprintf(stderr, "beeper: %s\n", snd_strerror((int)written));
            // Recover after EIO, too: the loopback was stalled for longer than the library waits,
            // and may be running again.
            if (snd_pcm_recover(pcm, (int)written, 1) < 0) {
                snd_pcm_drop(pcm);
                check(snd_pcm_prepare(pcm), "snd_pcm_prepare");
            }
            continue;
        }
        if (tone < 0) continue;
        snd_pcm_sframes_t delay;
        double now;
        int code;
        /* Ask again if another program got the processor in between: both values are of one
         * moment. */
        do {
            now = microseconds();
            code = snd_pcm_delay(pcm, &delay);
        } while (code >= 0 && microseconds() - now > 2000);
        /* The device has just run dry: the next write reports it, and this tone has no time. */
        if (code < 0) continue;
        printf("{\"microseconds\": %.0f}\n", now + (double)(delay - PIECE + tone) / RATE * 1e6);
        fflush(stdout);
    }
}
