# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges shutter-oracle: which frame each press should have given, and which it gave.

Reads presses.jsonl (gpio-panel), trace.jsonl (dqbuf-trace), assets.jsonl (library list) and
counters.jsonl (read-counter). Where a press lies so near the middle between two frames that
the panel's own uncertainty reaches over it, either frame is right.
"""
import bisect
import json
import os
import statistics


def lines(name):
    with open(name) as file:
        return [json.loads(line) for line in file]


# vitrine started its stream last: sequences restart there, at zero or a little later.
frames = lines("trace.jsonl")
start = max(n for n, frame in enumerate(frames)
            if n == 0 or frame["sequence"] < frames[n - 1]["sequence"])
frames = frames[start:]
times = [frame["timestampMicroseconds"] for frame in frames]
interval = statistics.median(b - a for a, b in zip(times, times[1:]))
presses = [p for p in lines("presses.jsonl") if p["pressed"]]
assets = sorted(lines("assets.jsonl"), key=lambda asset: asset["sequence"])
counters = {os.path.basename(c["file"]): c["sequence"] for c in lines("counters.jsonl")}


def nearest(moment):
    return min(frames, key=lambda frame: abs(frame["timestampMicroseconds"] - moment))


def actual_interval(moment):
    """Between the two frames around a moment: longer where the driver dropped one."""
    after = min(max(bisect.bisect_left(times, moment), 1), len(times) - 1)
    return times[after] - times[after - 1]


wrong = []
if len(assets) != len(presses):
    wrong.append(f"{len(assets)} photos of {len(presses)} presses")
for number, (press, asset) in enumerate(zip(presses, assets)):
    right = {nearest(press[moment] / 1000)["sequence"] for moment in ("before", "after")}
    saved = counters.get(os.path.basename(asset["fileName"]))
    offset = asset["shutterOffsetMicroseconds"]
    if saved not in right or asset["frameSequence"] != saved:
        wrong.append(f"press {number}: frame {saved} in the JPEG, {asset['frameSequence']} "
                     f"stored, nearest {sorted(right)}")
    gap = actual_interval(press["before"] / 1000)
    if abs(offset) > gap / 2 + (press["after"] - press["before"]) / 1000:
        wrong.append(f"press {number}: offset {offset} us, actual interval {gap} us")
print("\n".join(wrong[:20]))
offsets = [abs(asset["shutterOffsetMicroseconds"]) for asset in assets] or [0]
print(f"{len(assets)} photos, {len(wrong)} wrong, interval {interval:.0f} us, "
      f"largest offset {max(offsets)} us, median {statistics.median(offsets):.0f} us")
raise SystemExit(1 if wrong else 0)
