# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the cases sound and fault-microphone: picture and sound of a clip belong together, from its start to its end,
and each picture is the frame of its time.

    judge-sound.py sound.raw [FROM TO]

Reads the clip's sound (16 bits, one channel, 48 kHz, from the movie's start, as ffmpeg decodes it), tones.jsonl
(beeper: when each tone was played), what filmed.py reads, and status.json. The time at which each picture's frame was
taken is known: a moment of the clip is a moment of the machine, and a tone has to be heard when it was played. FROM and
TO are moments of the machine in milliseconds: tones in between need not be heard. If status reports lost sound, tones
may be missing, but none may be late.
"""
import bisect
import json
import statistics
import sys

import numpy

from filmed import Pictures
from jsonl import lines

RATE, GOAL = 48000, 40e3
# The longest chunk, in seconds.
CHUNK = 0.05

pictures = Pictures()
with open("status.json") as file:
    dropped = json.load(file)["recording"]["framesDropped"]
told = dropped["encoder"] + dropped["undecodable"]
wrong = pictures.wrong(told)
without = [float(moment) * 1e3 for moment in sys.argv[2:4]] or [0, 0]
sound = numpy.fromfile(sys.argv[1], dtype="<i2").astype(numpy.int32)
loud = numpy.flatnonzero(abs(sound) > 4000)
heard = [int(n) for i, n in enumerate(loud) if i == 0 or n - loud[i - 1] > RATE // 5]
shown = pictures.times


def machine_time(clip):
    """Returns the machine's time of a moment of the clip, in microseconds, by the picture that is shown then."""
    n = max(bisect.bisect_right(shown, clip) - 1, 0)
    return pictures.taken(n) + clip - shown[n]


played = [tone["microseconds"] for tone in lines("tones.jsonl")]
first, last = machine_time(0), machine_time(shown[-1])
expected = [time for time in played
            if first + 0.3e6 < time < last - 0.3e6 and not without[0] < time < without[1]]
apart = []
for time in expected:
    nearest = min((machine_time(n / RATE * 1e6) - time for n in heard), key=abs, default=1e9)
    apart.append(nearest)
spacing = statistics.median(b - a for a, b in zip(played, played[1:])) / 1e6
unheard = [n for n, distance in enumerate(apart) if abs(distance) > spacing * 1e6 / 4]
if dropped["sound"] and len(unheard) <= dropped["sound"] * CHUNK / spacing + 1:
    print(f"{len(unheard)} tones are missing, {dropped['sound']} chunks told")
    expected = [time for n, time in enumerate(expected) if n not in unheard]
    apart = [distance for n, distance in enumerate(apart) if n not in unheard]
wrong += [f"tone {n}: {distance / 1e3:.1f} ms from its picture" for n, distance in enumerate(apart)
          if abs(distance) > GOAL]
for name, times in (("before", [t for t in expected if t < without[0]]), ("after", [t for t in expected if t > without[1]])):
    if without[1] and not times:
        wrong.append(f"no tone {name} what need not be heard: too few to judge")
if len(expected) < 2:
    wrong.append(f"{len(expected)} tones in the clip: too few to judge")
silent = len(sound) / RATE * 1e6 - shown[-1]
# Sound that is still on its way when the clip ends is not in the clip.
if abs(silent) > 1e6:
    wrong.append(f"the sound is {silent / 1e6:.2f} s longer than the pictures")
print("\n".join(wrong[:10]))
print(f"{len(shown)} pictures, {pictures.lost} lost and {told} told, {len(pictures.skipped)} left out by the driver, at most "
      f"{max(pictures.apart):.0f} us from their times")
if apart:
    print(f"{len(expected)} tones, {apart[0] / 1e3:.1f} ms from their pictures at the beginning, {apart[-1] / 1e3:.1f} ms "
          f"at the end, {max(apart, key=abs) / 1e3:.1f} ms at the most, {statistics.median(apart) / 1e3:.1f} ms median")
raise SystemExit(1 if wrong else 0)
