// SPDX-License-Identifier: GPL-3.0-or-later
// listener DEVICE: records from a sound device until it is killed. Prints one JSON line per tone after a silence of
// 200 ms: `microseconds` is the time on CLOCK_MONOTONIC of its first sample, as the driver counts. Says "listening" on
// stderr first.
#define _GNU_SOURCE
#include "sound.h"

enum { RATE = 48000, PIECE = 240, LOUD = 2000, SILENCE = RATE / 5 };

int main(int count, char **words) {
    if (count != 2) {
        fprintf(stderr, "usage: listener DEVICE\n");
        return 64;
    }
    snd_pcm_t *pcm;
    check(snd_pcm_open(&pcm, words[1], SND_PCM_STREAM_CAPTURE, 0), "snd_pcm_open");
    check(snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 2, RATE, 1, 500000),
          "snd_pcm_set_params");
    check(snd_pcm_start(pcm), "snd_pcm_start");
    fprintf(stderr, "listening\n");
    for (long quiet = SILENCE;;) {
        short piece[2 * PIECE];
        snd_pcm_sframes_t waiting = 0;
        long frames = snd_pcm_readi(pcm, piece, PIECE);
        // A busy machine may let the buffer run over between the two.
        int code = frames < 0 ? (int)frames : snd_pcm_delay(pcm, &waiting);
        if (code < 0) {
            fprintf(stderr, "listener: %s\n", snd_strerror(code));
            check(snd_pcm_recover(pcm, code, 1), "snd_pcm_recover");
            check(snd_pcm_start(pcm), "snd_pcm_start");
            continue;
        }
        // What waits behind these samples was recorded after them.
        double end = microseconds() - waiting * 1e6 / RATE;
        for (long i = 0; i < frames; i++) {
            int is_loud = abs(piece[2 * i]) > LOUD;
            if (is_loud && quiet >= SILENCE) {
                printf("{\"microseconds\": %.0f}\n", end - (frames - i) * 1e6 / RATE);
                fflush(stdout);
            }
            quiet = is_loud ? 0 : quiet + 1;
        }
    }
}
