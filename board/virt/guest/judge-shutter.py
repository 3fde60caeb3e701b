# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges shutter-oracle and shutter-busy: which frame each press should have given, and which it gave.

Reads presses.jsonl (gpio-panel), trace.jsonl (dqbuf-trace), driver.jsonl (driver-trace), stalls.jsonl
(stall-watch), assets.jsonl (library list) and counters.jsonl (read-counter). Where a press lies so near the middle
between two frames that the panel's own uncertainty reaches over it, either frame is right. Where one of the
machine's processors stood still around a press, or the driver had buffers to fill and filled none, the photo need
not be the nearest frame, but has to say truly which it is. That is for a few: of a full run's presses nine in ten
have to be judged in full, of the usual run's, which other guests disturb, half. How fast the program itself takes
its frames excuses nothing.
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


timestamps = {frame["sequence"]: frame["timestampMicroseconds"] for frame in frames}


def driver_stalls():
    """From when to when the driver had a buffer to fill and took longer for it than three frames last."""
    found = []
    waiting = 0
    since = None
    for event in sorted(lines("driver.jsonl"), key=lambda event: event["microseconds"]):
        now = event["microseconds"]
        if event["event"] == "queued":
            since = now if waiting == 0 else since
            waiting += 1
        else:
            if since is not None and now - since > 3 * interval:
                found.append((since, now))
            waiting = max(waiting - 1, 0)
            since = now if waiting else None
    return found


def stood_still(press, stalls):
    """Whether it was so from shortly before the press to well after it."""
    begin, end = press["before"] / 1000 - 100e3, press["after"] / 1000 + 200e3
    return any(since < end and until > begin for since, until in stalls)


stalls = driver_stalls() + [(s["fromMicroseconds"], s["untilMicroseconds"]) for s in lines("stalls.jsonl")
                            if s["untilMicroseconds"] - s["fromMicroseconds"] > interval]
wrong = []
judged = 0
if len(assets) != len(presses):
    wrong.append(f"{len(assets)} photos of {len(presses)} presses")
for number, (press, asset) in enumerate(zip(presses, assets)):
    right = {nearest(press[moment] / 1000)["sequence"] for moment in ("before", "after")}
    saved = counters.get(os.path.basename(asset["fileName"]))
    offset = asset["shutterOffsetMicroseconds"]
    moment = timestamps.get(saved, 0) - offset
    if asset["frameSequence"] != saved or not press["before"] / 1000 - 1 <= moment <= press["after"] / 1000 + 1:
        wrong.append(f"press {number}: frame {saved} in the JPEG, {asset['frameSequence']} stored, {offset} us "
                     "from it no press")
    if stood_still(press, stalls):
        continue
    judged += 1
    if saved not in right:
        wrong.append(f"press {number}: frame {saved}, nearest {sorted(right)}")
    gap = actual_interval(press["before"] / 1000)
    if abs(offset) > gap / 2 + (press["after"] - press["before"]) / 1000:
        wrong.append(f"press {number}: offset {offset} us, actual interval {gap} us")
if judged < len(presses) * (0.9 if os.environ.get("VITRINE_FULL") else 0.5):
    wrong.append(f"the machine stood still around all but {judged} presses")
print("\n".join(wrong[:20]))
offsets = [abs(asset["shutterOffsetMicroseconds"]) for asset in assets] or [0]
print(f"{len(assets)} photos, {judged} judged in full, {len(wrong)} wrong, interval {interval:.0f} us, "
      f"largest offset {max(offsets)} us, median {statistics.median(offsets):.0f} us")
raise SystemExit(1 if wrong else 0)
