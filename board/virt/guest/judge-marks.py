# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the case playback: each second, picture and sound have a mark at the same time.

    judge-marks.py COUNT yes|no

Reads tones.jsonl (listener: when each tone was heard) and pictures.jsonl (crc-watch: when the screen changed). The
screen is black, and white for a fifth of a second at each mark. There are COUNT marks, and each has a tone. With `no`,
the distances are printed and not judged, and half of the marks suffice, because a busy machine leaves pictures out.
"""
import collections
import statistics
import sys

from jsonl import lines

GOAL = 40e3

count, is_judged = int(sys.argv[1]), sys.argv[2] == "yes"
changes = lines("pictures.jsonl")
wrong = []
kinds = collections.Counter(change["crc"] for change in changes)
if len(kinds) < 2:
    sys.exit("the screen never changes")
# The kernel tells of a refresh a little late, and sometimes very late: the quickest show when refreshes happen.
refresh = statistics.linear_regression([change["frame"] for change in changes],
                                       [change["microseconds"] for change in changes]).slope
offset = min(change["microseconds"] - change["frame"] * refresh for change in changes)
# The mark is shown as often as the black between, and both more often than anything else.
(first, _), (second, _) = kinds.most_common(2)
shown = [change for change in changes if change["crc"] in (first, second)]
lengths = collections.defaultdict(list)
for change, after in zip(shown, shown[1:]):
    lengths[change["crc"]].append(after["frame"] - change["frame"])
white = min(lengths, key=lambda crc: statistics.median(lengths[crc]))
marks = [offset + change["frame"] * refresh for change in shown if change["crc"] == white]
tones = [tone["microseconds"] for tone in lines("tones.jsonl")]
for what, found in (("marks are seen", marks), ("tones are heard", tones)):
    if len(found) != count and (is_judged or not count / 2 <= len(found) <= count):
        wrong.append(f"{len(found)} of {count} {what}")
apart = [min((mark - tone for tone in tones), key=abs, default=1e9) for mark in marks]
late = [f"mark {n + 1}: the picture comes {distance / 1e3:.1f} ms after the sound" for n, distance in enumerate(apart)
        if abs(distance) > GOAL]
if is_judged:
    wrong += late
print("\n".join(wrong[:10]))
if apart:
    print(f"{len(apart)} marks: the picture comes {apart[0] / 1e3:.1f} ms after the sound at the beginning, "
          f"{apart[-1] / 1e3:.1f} ms at the end, {max(apart, key=abs) / 1e3:.1f} ms at the most, "
          f"{statistics.median(apart) / 1e3:.1f} ms median")
raise SystemExit(1 if wrong else 0)
