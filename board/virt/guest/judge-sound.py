# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the case sound: whether picture and sound of a clip belong together, from its beginning to its end.

    judge-sound.py sound.raw

Reads the clip's sound (16 bits, one channel, 48 kHz, from the movie's beginning on, as ffmpeg gives it), tones.jsonl
(beeper: when each tone was played), trace.jsonl (dqbuf-trace), counters.jsonl (read-counter on the clip's pictures)
and packets.jsonl (ffprobe). The counter in a picture says which frame it is, the trace when that was taken: so a
moment of the clip is a moment of the machine, and a tone has to be heard when it was played.
"""
import bisect
import json
import os
import statistics
import sys

import numpy

RATE, GOAL = 48000, 40e3


def lines(name):
    with open(name) as file:
        return [json.loads(line) for line in file]


frames = lines("trace.jsonl")
start = max(n for n, frame in enumerate(frames)
            if n == 0 or frame["sequence"] < frames[n - 1]["sequence"])
taken = {frame["sequence"]: frame["timestampMicroseconds"] for frame in frames[start:]}
counters = sorted(lines("counters.jsonl"), key=lambda c: os.path.basename(c["file"]))
shown = [float(p["pts_time"]) * 1e6 for p in lines("packets.jsonl")]
sound = numpy.fromfile(sys.argv[1], dtype="<i2").astype(numpy.int32)
loud = numpy.flatnonzero(abs(sound) > 4000)
heard = [int(n) for i, n in enumerate(loud) if i == 0 or n - loud[i - 1] > RATE // 5]


def machine_time(clip):
    """Of a moment of the clip, in microseconds: by the picture that is shown then."""
    n = max(bisect.bisect_right(shown, clip) - 1, 0)
    return taken[counters[n]["sequence"]] + clip - shown[n]


played = [tone["microseconds"] for tone in lines("tones.jsonl")]
first, last = machine_time(0), machine_time(shown[-1])
expected = [time for time in played if first + 0.3e6 < time < last - 0.3e6]
apart = []
for time in expected:
    nearest = min((machine_time(n / RATE * 1e6) - time for n in heard), key=abs, default=1e9)
    apart.append(nearest)
wrong = [f"tone {n}: {distance / 1e3:.1f} ms from its picture" for n, distance in enumerate(apart)
         if abs(distance) > GOAL]
if len(expected) < 2:
    wrong.append(f"{len(expected)} tones in the clip: too few to judge")
silent = len(sound) / RATE * 1e6 - shown[-1]
# What is still on its way when the clip ends is not in it.
if abs(silent) > 1e6:
    wrong.append(f"the sound is {silent / 1e6:.2f} s longer than the pictures")
print("\n".join(wrong[:10]))
if apart:
    print(f"{len(expected)} tones, {apart[0] / 1e3:.1f} ms from their pictures at the beginning, {apart[-1] / 1e3:.1f} ms "
          f"at the end, {max(apart, key=abs) / 1e3:.1f} ms at the most, {statistics.median(apart) / 1e3:.1f} ms median")
raise SystemExit(1 if wrong else 0)
